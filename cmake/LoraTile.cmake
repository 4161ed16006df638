# Settings and helpers shared by every folder of the project.

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(LORA_SANITIZE)
  add_compile_options(-fsanitize=${LORA_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LORA_SANITIZE})
endif()
include_directories(${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)

# lora_add_library(NAME source... [LINK library...])
# A static library without LLVM. Part of the runtime, or shared by both halves of the project.
function(lora_add_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

if(LORA_BUILD_COMPILER)
  execute_process(COMMAND llvm-config-22 --cmakedir OUTPUT_VARIABLE LLVM_CMAKE_DIR
                  OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE LLVM_CONFIG_STATUS)
  if(NOT LLVM_CONFIG_STATUS EQUAL 0)
    message(FATAL_ERROR "llvm-config-22 not found: install llvm-22-dev libmlir-22-dev mlir-22-tools")
  endif()
  find_package(MLIR CONFIG REQUIRED PATHS ${LLVM_CMAKE_DIR}/../mlir NO_DEFAULT_PATH)
  if(NOT LLVM_VERSION_MAJOR EQUAL 22)
    message(FATAL_ERROR "LLVM/MLIR 22 is needed, found ${LLVM_VERSION} in ${LLVM_CMAKE_DIR}")
  endif()
  list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
  include(TableGen)
  include(AddLLVM)
  include(AddMLIR)
  include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  include_directories(${PROJECT_SOURCE_DIR}/dialects ${PROJECT_BINARY_DIR}/dialects)
  add_definitions(${LLVM_DEFINITIONS})
endif()

# lora_add_compiler_library(NAME source... [LINK library...] [DEPENDS target...] [STATIC_LINK lib...])
# A static library over LLVM and MLIR. STATIC_LINK names the LLVM and MLIR libraries it uses, which
# matter only when LORA_STATIC_LLVM is set; everyday builds link the two shared ones.
function(lora_add_compiler_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS;STATIC_LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  add_dependencies(${name} LoraDialectHeaders ${ARG_DEPENDS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(LORA_STATIC_LLVM)
    target_link_libraries(${name} PUBLIC ${ARG_STATIC_LINK})
  else()
    target_link_libraries(${name} PUBLIC MLIR LLVM)
  endif()
endfunction()

# lora_tablegen_passes(COMPONENT)
# Generates lora/COMPONENT/Passes.h.inc from include/lora/COMPONENT/Passes.td.
function(lora_tablegen_passes component)
  set(output include/lora/${component}/Passes.h.inc)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/${output}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/include/lora/${component}
    COMMAND ${MLIR_TABLEGEN_EXE} -gen-pass-decls -name Lora${component}
            ${PROJECT_SOURCE_DIR}/include/lora/${component}/Passes.td
            -I ${MLIR_INCLUDE_DIRS} -o ${PROJECT_BINARY_DIR}/${output}
    DEPENDS ${PROJECT_SOURCE_DIR}/include/lora/${component}/Passes.td
    COMMENT "Generating ${output}" VERBATIM)
  add_custom_target(Lora${component}IncGen DEPENDS ${PROJECT_BINARY_DIR}/${output})
endfunction()

# lora_add_tool(NAME source... [LINK library...])
function(lora_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()
