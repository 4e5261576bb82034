// catch_main.cpp - the main of the unit tests and of the kernel tests.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
