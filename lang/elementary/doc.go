// Package elementary has exponentials, logarithms, powers and trigonometric functions of
// float64 that are rounded once, from double-double arithmetic: within 0.51 ulp, as are the C
// library's, which Python's results come from. Go's own are within 1 ulp and so differ from
// them now and then. It knows nothing of the language.
//
// Invariants.
//
//  1. Special values (infinities, NaN, signed zeros, domain errors) are those of package math.
//  2. Results do not depend on the machine: products that are summed are rounded or fused on purpose.
package elementary
