// <math.h> of libstdc++ without four names that a library for threads declares itself for float. Included before it.
#pragma once

#define _GLIBCXX_MATH_H 1
#include <cmath>
#include <cstdlib>

#define PTO_DETAIL_MATH(Name_) using std::Name_;
PTO_DETAIL_MATH(abs) PTO_DETAIL_MATH(acos) PTO_DETAIL_MATH(asin) PTO_DETAIL_MATH(atan) PTO_DETAIL_MATH(atan2)
PTO_DETAIL_MATH(cos) PTO_DETAIL_MATH(sin) PTO_DETAIL_MATH(tan) PTO_DETAIL_MATH(cosh) PTO_DETAIL_MATH(sinh)
PTO_DETAIL_MATH(tanh) PTO_DETAIL_MATH(exp) PTO_DETAIL_MATH(frexp) PTO_DETAIL_MATH(ldexp) PTO_DETAIL_MATH(log)
PTO_DETAIL_MATH(log10) PTO_DETAIL_MATH(modf) PTO_DETAIL_MATH(pow) PTO_DETAIL_MATH(sqrt) PTO_DETAIL_MATH(ceil)
PTO_DETAIL_MATH(fabs) PTO_DETAIL_MATH(floor) PTO_DETAIL_MATH(fmod) PTO_DETAIL_MATH(fpclassify) PTO_DETAIL_MATH(isnormal)
PTO_DETAIL_MATH(isgreater) PTO_DETAIL_MATH(isgreaterequal) PTO_DETAIL_MATH(isless) PTO_DETAIL_MATH(islessequal)
PTO_DETAIL_MATH(islessgreater) PTO_DETAIL_MATH(isunordered) PTO_DETAIL_MATH(acosh) PTO_DETAIL_MATH(asinh)
PTO_DETAIL_MATH(atanh) PTO_DETAIL_MATH(cbrt) PTO_DETAIL_MATH(copysign) PTO_DETAIL_MATH(erf) PTO_DETAIL_MATH(erfc)
PTO_DETAIL_MATH(exp2) PTO_DETAIL_MATH(expm1) PTO_DETAIL_MATH(fdim) PTO_DETAIL_MATH(fma) PTO_DETAIL_MATH(fmax)
PTO_DETAIL_MATH(fmin) PTO_DETAIL_MATH(hypot) PTO_DETAIL_MATH(ilogb) PTO_DETAIL_MATH(lgamma) PTO_DETAIL_MATH(llrint)
PTO_DETAIL_MATH(llround) PTO_DETAIL_MATH(log1p) PTO_DETAIL_MATH(log2) PTO_DETAIL_MATH(logb) PTO_DETAIL_MATH(lrint)
PTO_DETAIL_MATH(lround) PTO_DETAIL_MATH(nearbyint) PTO_DETAIL_MATH(nextafter) PTO_DETAIL_MATH(nexttoward)
PTO_DETAIL_MATH(remainder) PTO_DETAIL_MATH(remquo) PTO_DETAIL_MATH(rint) PTO_DETAIL_MATH(round) PTO_DETAIL_MATH(scalbln)
PTO_DETAIL_MATH(scalbn) PTO_DETAIL_MATH(tgamma) PTO_DETAIL_MATH(trunc)
#undef PTO_DETAIL_MATH

inline bool isnan(double x) { return std::isnan(x); }
inline bool isinf(double x) { return std::isinf(x); }
inline bool isfinite(double x) { return std::isfinite(x); }
inline bool signbit(double x) { return std::signbit(x); }
