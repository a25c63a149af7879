// SPDX-License-Identifier: Apache-2.0
// The last line of a .def file includes this.
#undef SECTION
#undef END
#undef NUMBER
#undef SWITCH
#undef CHOICE
#undef TEXT
#undef LIST
#undef BUILD
#undef UP_TO
#undef GETTER
#undef LIST_OF_ONE
