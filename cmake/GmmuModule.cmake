# SPDX-License-Identifier: Apache-2.0
# Builds the Python module gmmu._gmmu (sw/python), which pip builds through pyproject.toml.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
set(PYBIND11_FINDPYTHON ON)
find_package(pybind11 2.12 CONFIG REQUIRED)  # older versions do not support NumPy 2
pybind11_add_module(gmmu_module MODULE ${PROJECT_SOURCE_DIR}/sw/python/module.cc ${PROJECT_SOURCE_DIR}/sw/python/options.cc)
target_link_libraries(gmmu_module PRIVATE gmmu_archive)
target_compile_options(gmmu_module PRIVATE -Wall -Wextra)
set_target_properties(gmmu_module PROPERTIES OUTPUT_NAME _gmmu LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/gmmu)
install(TARGETS gmmu_module LIBRARY DESTINATION gmmu COMPONENT module)
