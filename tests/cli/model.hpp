// The header of a generated model and its names: NAME(_run) is flowers_run, CAPS(_OK) FLOWERS_OK.
// Compiled with the flags that model_flags of check.sh prints.
#pragma once

#include MODEL_HEADER

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define NAME(x) JOIN(MODEL, x)
#define CAPS(x) JOIN(MODEL_CAPS, x)
