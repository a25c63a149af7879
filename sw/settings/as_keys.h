// SPDX-License-Identifier: Apache-2.0
// Include this header before a .def file, in a scope where `keys` is a Keys and `place` is the
// object. The settings of the .def file become keys that are bound to the object's members. The
// last line of the .def file undefines the macros.
#define SECTION(member, Type, text)             \
  {                                             \
    auto& outer = place;                        \
    {                                           \
      auto& place = outer.member;               \
      auto& section = keys.Open(#member, text); \
      static_cast<void>(section);
#define END(member, Type) \
  keys.Close();           \
  }                       \
  }
#define NUMBER(name, initial, unit, min, max, text) keys.AddNumber(#name, place.name, initial, unit, min, max, text);
#define SWITCH(name, initial, text) keys.AddSwitch(#name, place.name, initial, text);
#define CHOICE(Type, name, initial, text, ...) keys.AddChoice(#name, place.name, Type::initial, text, {__VA_ARGS__});
#define TEXT(name, text, allowed) keys.AddText(#name, place.name, text, allowed);
#define LIST(name, unit, min, max, text, ...) keys.AddList(#name, place.name, {__VA_ARGS__}, unit, min, max, text);
#define BUILD(name, option, min, max, text) \
  keys.AddBuild(#name, place.name, BuiltSize(#option), #option, min, max, text);
#define UP_TO(name, option, min, max, text) \
  keys.AddBuild(#name, place.name, BuiltSize(#option), #option, min, max, text).up_to_built = true;
#define GETTER(...)
#define LIST_OF_ONE(name, refusal) section.list = #name, section.second = refusal;
