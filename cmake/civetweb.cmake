# The web server library, built from source. The source is looked for in this order:
#   -DCIVETWEB_SOURCE=DIR or environment variable CIVETWEB_SOURCE    an unpacked civetweb 1.15
#   .deps/civetweb-1.15                                              where scripts/setup puts Debian's copy
#   upstream at the pinned commit, over git
# Whatever its road, civetweb.c must have the pinned hash. A copy in the build folder gets our patch.
set(CIVETWEB_COMMIT eefb26f82b233268fc98577d265352720d477ba4) # tag v1.15
set(CIVETWEB_SHA256 5c5e9e1c0dbc32c6055ab7474e03cf90686c3281f575e47a09348b3fef54ab0d)

set(CIVETWEB_SOURCE "$ENV{CIVETWEB_SOURCE}" CACHE PATH "Folder of the unpacked civetweb 1.15 source")
set(civetweb_source "${CIVETWEB_SOURCE}")
if(NOT civetweb_source)
  set(civetweb_source "${CMAKE_SOURCE_DIR}/.deps/civetweb-1.15")
endif()
if(NOT EXISTS "${civetweb_source}/src/civetweb.c")
  include(FetchContent)
  FetchContent_Declare(civetweb_upstream GIT_REPOSITORY https://github.com/civetweb/civetweb GIT_TAG ${CIVETWEB_COMMIT})
  FetchContent_GetProperties(civetweb_upstream)
  if(NOT civetweb_upstream_POPULATED)
    message(STATUS "No civetweb source in ${civetweb_source}; fetching it (scripts/setup gets it from Debian)")
    FetchContent_Populate(civetweb_upstream)
  endif()
  set(civetweb_source "${civetweb_upstream_SOURCE_DIR}")
endif()
file(SHA256 "${civetweb_source}/src/civetweb.c" civetweb_hash)
if(NOT civetweb_hash STREQUAL CIVETWEB_SHA256)
  message(FATAL_ERROR "${civetweb_source}/src/civetweb.c is not that of civetweb 1.15 (SHA-256 ${civetweb_hash})")
endif()

# The patched copy carries the patch's hash in its name: a changed patch makes a new copy.
set(civetweb_patch "${CMAKE_SOURCE_DIR}/cmake/civetweb.patch")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${civetweb_patch}")
file(SHA256 "${civetweb_patch}" civetweb_patch_hash)
string(SUBSTRING "${civetweb_patch_hash}" 0 12 civetweb_patch_hash)
set(civetweb_dir "${CMAKE_BINARY_DIR}/civetweb-${civetweb_patch_hash}")
if(NOT EXISTS "${civetweb_dir}/patched")
  find_program(PATCH patch REQUIRED)
  file(REMOVE_RECURSE "${civetweb_dir}")
  file(COPY "${civetweb_source}/src" "${civetweb_source}/include" DESTINATION "${civetweb_dir}")
  execute_process(COMMAND "${PATCH}" -p1 --forward --input "${civetweb_patch}" WORKING_DIRECTORY "${civetweb_dir}"
    OUTPUT_VARIABLE civetweb_output RESULT_VARIABLE civetweb_failed)
  if(civetweb_failed)
    message(FATAL_ERROR "cmake/civetweb.patch does not apply:\n${civetweb_output}")
  endif()
  file(TOUCH "${civetweb_dir}/patched")
endif()

# Stacks of 8 MiB: the SQL parsers recurse. A short socket quantum: stopping does not wait two seconds.
add_library(civetweb STATIC "${civetweb_dir}/src/civetweb.c")
target_include_directories(civetweb SYSTEM PUBLIC "${civetweb_dir}/include")
target_compile_definitions(civetweb PRIVATE _GNU_SOURCE NO_SSL_DL OPENSSL_API_3_0 NO_FILES NO_CGI USE_IPV6
  USE_X_DOM_SOCKET USE_STACK_SIZE=8388608 SOCKET_TIMEOUT_QUANTUM=200)
target_compile_options(civetweb PRIVATE -w -fno-omit-frame-pointer -fstack-protector-strong)
target_link_libraries(civetweb PUBLIC PkgConfig::DEPS Threads::Threads ${CMAKE_DL_LIBS})
