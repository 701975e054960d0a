// Package bytecode compiles a bound syntax tree into code for a register
// machine, prints that code, and verifies it.
//
//	*syntax.Module, names resolved ──Compile──▶ *Program ──Verify──▶ the machine
//	                                               └──Disassemble──▶ text
//
// It knows neither values nor the machine: constants are plain Go data, and the
// opcode table (Rows) says in words and operand kinds what an instruction does.
//
// A code object's registers are one window:
//
//	r0 … parameters │ other locals │ cells │ temporaries … NumRegs
//
// A call's arguments are evaluated into the registers behind the callee's, and
// these become the first registers of the called function's window: nothing is
// copied.
//
//	caller   … │ f │ x │ y │ …
//	callee         │ a │ b │ locals …
//
// Exceptions go by the code's handler table, innermost range first. A handler
// has two registers: the exception, and what was being handled before it, which
// ENDCATCH restores. While an exception leaves a handler's own code, an
// UnhandleHandler restores it without running code. finally bodies are
// compiled once for each way out.
//
// Invariants (Verify checks them):
//
//  1. Codes lists every code object once, at its ID, Main first and each child
//     after its parent; Main is a module body without parameters.
//  2. Parameters lie within locals, locals within registers, and there are at
//     most MaxReg registers.
//  3. Every instruction has a known opcode and a span; the last one, and no
//     other, is END.
//  4. A child's free variables come from registers or free variables that its
//     parent has.
//  5. Every register, window, constant, global, site, child and import that an
//     instruction names exists; unused fields and flags are zero.
//  6. Jumps and handlers lead to instructions before END.
//  7. Namespace instructions stand in class bodies only, those that yield in
//     generators only.
package bytecode
