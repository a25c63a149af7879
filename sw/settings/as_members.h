// SPDX-License-Identifier: Apache-2.0
// Include this header before a .def file. The settings of the .def file become members with default
// values. The last line of the .def file undefines the macros.
#define SECTION(member, Type, text) struct Type {
#define END(member, Type) \
  }                       \
  member;
#define NUMBER(name, initial, unit, min, max, text) uint64_t name = initial;
#define SWITCH(name, initial, text) bool name = initial;
#define CHOICE(Type, name, initial, text, ...) Type name = Type::initial;
#define TEXT(name, text, allowed) std::string name;
#define LIST(name, unit, min, max, text, ...) std::vector<uint64_t> name{__VA_ARGS__};
#define BUILD(name, option, min, max, text) uint64_t name = BuiltSize(#option);
#define UP_TO(name, option, min, max, text) uint64_t name = BuiltSize(#option);
#define GETTER(...) __VA_ARGS__
#define LIST_OF_ONE(name, second)
