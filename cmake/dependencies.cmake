# What cake takes from outside, as one interface target per package. Only jansson is required; without one of the
# others, what needs it is left out and the rest still builds.

find_package(PkgConfig)
if(NOT PKG_CONFIG_FOUND)
  message(FATAL_ERROR "cake needs pkg-config to find its libraries (Debian: pkg-config)")
endif()

# jansson 2.14: JSON. The archive is preferred, so that a built tool needs nothing but libc.
pkg_check_modules(JANSSON QUIET jansson>=2.14)
if(NOT JANSSON_FOUND)
  message(FATAL_ERROR "cake needs jansson 2.14 or newer (Debian: libjansson-dev)")
endif()
find_library(CAKE_JANSSON_ARCHIVE NAMES libjansson.a HINTS ${JANSSON_LIBRARY_DIRS})
add_library(cake_jansson INTERFACE)
target_include_directories(cake_jansson SYSTEM INTERFACE ${JANSSON_INCLUDE_DIRS})
if(CAKE_JANSSON_ARCHIVE)
  target_link_libraries(cake_jansson INTERFACE ${CAKE_JANSSON_ARCHIVE})
else()
  target_link_libraries(cake_jansson INTERFACE ${JANSSON_LINK_LIBRARIES})
endif()

# LLVM 22: codegen/ alone uses it, through llvm-c.
find_program(CAKE_LLVM_CONFIG NAMES llvm-config-22)
if(CAKE_LLVM_CONFIG)
  execute_process(COMMAND ${CAKE_LLVM_CONFIG} --includedir OUTPUT_VARIABLE llvm_include OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CAKE_LLVM_CONFIG} --libdir OUTPUT_VARIABLE llvm_libraries OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND ${CAKE_LLVM_CONFIG} --link-shared --libs OUTPUT_VARIABLE llvm_flags
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  add_library(cake_llvm INTERFACE)
  target_include_directories(cake_llvm SYSTEM INTERFACE ${llvm_include})
  target_link_directories(cake_llvm INTERFACE ${llvm_libraries})
  target_link_libraries(cake_llvm INTERFACE ${llvm_flags})
else()
  message(STATUS "llvm-config-22 not found: cakec is built without code generation (Debian: llvm-22-dev)")
endif()

# cmocka: unit tests.
pkg_check_modules(CMOCKA QUIET IMPORTED_TARGET cmocka>=1.1.5)
if(NOT CMOCKA_FOUND)
  message(STATUS "cmocka 1.1.5 or newer not found: no unit tests (Debian: libcmocka-dev)")
endif()

# lit, FileCheck and Python 3: the other tests.
find_package(Python3 COMPONENTS Interpreter)
find_program(CAKE_LIT NAMES lit-22)
find_program(CAKE_FILECHECK NAMES FileCheck-22)
if(NOT Python3_FOUND)
  message(STATUS "python3 not found: neither lint nor lit nor diagnostics tests")
elseif(NOT CAKE_LIT OR NOT CAKE_FILECHECK)
  message(STATUS "lit-22 or FileCheck-22 not found: no lit tests (Debian: llvm-22-tools)")
endif()
