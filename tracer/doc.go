// Package tracer records what the interpreter does and replays it.
//
//	header is hot ──▶ entries of its region: guards hold? ──▶ run graph ▶ effects ▶ frames ▶ write-backs
//	                     │ none holds
//	                     ▼
//	   recorder observes the thread: reads ─▶ guards, tensor ops ─▶ graph, writes ─▶ effects,
//	   until return, back edge or break ─▶ exit: the frames, each register a recipe
//
// There is no second interpreter: the recorder listens (value.Observer,
// eager.Observer) while the one machine runs. A region starts at a function's
// entry, at a loop's header or behind a break, and is named by the chain of
// (code, pc) from its base frame to the innermost. It ends when its base frame is
// about to return, at the loop's next round or an enclosing header, or at a break:
// an instruction that cannot be recorded, which the interpreter then executes. All
// exits are of one form: the live registers of each frame and where it goes on.
//
// How a value's origin is known:
//
//   - Heap values by identity: a map from object to the source by which it was
//     first reached, and a set of objects born in the region. One that is in
//     neither aborts the recording when it is used, written or put into an exit. A
//     hook that is missing somewhere costs an optimisation, not a wrong answer.
//   - Immediates need no origin: the read guards their value.
//   - A number that a guard has found changed becomes symbolic in the next
//     recording: an object that stands for it in registers (symbol). Its
//     comparisons are guarded by outcome; its arithmetic, and pure builtins on it
//     (math.cos, min, round), become expressions; any other use guards its value.
//     Where an expression may raise or change its type, the check computes it. A guard
//     that fails teaches of all that fail with it. Symbols are swept out of everything the program
//     can reach when the recording stops.
//
// Classes are guarded by their version, which changes with anything that is looked
// up through them; instances by shape, so that absence of attributes needs no guard
// of its own.
//
// A first recording is specialised on tensor sizes, on lengths and on numbers. A size
// that a guard has found changed is a symbol of the graph in the next one (sizes.go):
// rules see it in the Meta of the recording's tensors, the program as a symbolic
// number; kernels run on the values at hand. What rules ask becomes guards, what needs
// a plain integer is specialised by one. A symbol that is given to a tensor operation as
// a number becomes a number slot of the graph, which each run fills from the check; only
// how the operation looks at it is guarded. The offsets of inputs are symbols always.
//
// Regions and their entries are shared by the threads of a Tracer; a look-up (look.go)
// goes down a tree of the guards that are polled, and looks at what is marked only
// after a write has fired. An entry lives as long as the object that it is about.
//
// An exception that leaves the base frame ends the recording before the instruction
// that raises it, which the interpreter does again; one that is being handled in an
// exit is made anew. A generator that runs while the region ends aborts the recording;
// others are made anew.
//
// A tape that is alive in an exit is compiled too (tape.go): the backward pass of the
// exit's tensors is run once, without computing anything (eager.Context.Dry), while
// the recorder still listens; a minimum cut divides the joint graph, and a replay hangs
// its tensors on nodes that run the backward half. A region whose gradients turn out to be differentiated again
// (create_graph) is interpreted from then on, and in a program that says create_graph
// no region that was not asked for has a live tape. Printing is an effect. Imports,
// class bodies, builtins that do not tell what they do, and what reads a tensor's value
// break it. A recording without tensor operations is dropped, as the interpreter is as
// quick.
//
// A recording knows objects and tensors by weak pointers (identity.go) and lets go of
// values that the program has overwritten, so that their memory is freed as it is
// without one.
//
// A view of the outside whose memory the region writes to, and then uses, stands behind
// its new history after a replay too (tape_outside.go).
//
// What of such a tape shows is as without the recorder: which nodes a pass releases and
// which it fails at, what it has done by then, and the text of the error. What nodes
// keep is memory that the program may have in hand and write to through .data: the
// backward half reads there what they would (late), and starts from memory of its own
// where it computes something again.
//
// Invariants.
//
//  1. A replay changes nothing until the graph has run, or come to where none of its
//     kernels can fail (graph.InPlacer): a kernel that fails leaves the interpreter to
//     go on from the header as if nothing had happened.
//  2. Guards speak of the state before the region, and are all evaluated before
//     any effect.
//  3. Every object in a recipe is a constant of the code, reached by a guarded
//     source, or born in the region.
//  4. No symbol is reachable by the program once the recorder has gone.
//  5. A replay makes progress: its exit is not its entry with nothing done.
package tracer
