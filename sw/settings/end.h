// SPDX-License-Identifier: Apache-2.0
// Include this in the last line of a .def file.
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
