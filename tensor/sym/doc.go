// Package sym is integers that may be expressions over sizes not yet known.
//
// A constant Int is one machine word and a nil pointer: it allocates nothing
// and needs no Ctx, so the same shape rule serves eager execution (constants)
// and recording (symbols). Comparisons of constants are plain; a comparison of
// expressions is decided, in this order, by
//
//  1. algebra: the sign of coefficients and the lower bounds of symbols,
//  2. equalities learnt, solved for a symbol and substituted,
//  3. guards already taken,
//  4. the hint: the values at recording. The answer becomes a guard.
//
// Expressions are polynomials over atoms (symbol, floordiv, max), interned in
// their Ctx: equal expressions are equal pointers, and normal forms, hints and
// bounds are cached on the node.
//
// A Ctx in which Pins was called gives rules that ask for a constant (Must) the hint,
// and guards it.
//
// Invariants:
//  1. An expression's terms are sorted, distinct and nonzero; it has at least
//     one non-constant term (else it is a constant Int).
//  2. Two Ints of one Ctx are the same expression iff they are ==.
//  3. KnownEq, KnownGe, HintEq and Positive never take a guard; HintEq may only
//     choose which sufficient condition is asked next.
//  4. A Ctx is used by one goroutine at a time; Eval and Check only read it.
//
// Rules should ask one sufficient condition, once (Case), and branch on its
// index instead of asking again.
package sym
