package larkspur

import "fmt"

// A stmt is one kind of statement that random programs have.
type stmt struct {
	nests bool
	write func(g *gen)
}

var statements []stmt

func init() {
	one := func(write func(g *gen)) { statements = append(statements, stmt{false, write}) }
	many := func(n int, write func(g *gen)) {
		for range n {
			one(write)
		}
	}
	nest := func(n int, write func(g *gen)) {
		for range n {
			statements = append(statements, stmt{true, write})
		}
	}

	many(3, func(g *gen) { g.line("%s = %s", g.pick("i0", "i1", "i2"), g.num(2)) })
	many(4, func(g *gen) { g.line("%s = %s", g.pick("t0", "t1"), g.tensor(2)) })
	many(2, func(g *gen) { g.line("l0 = %s", g.list(1)) })
	many(2, func(g *gen) { g.line("%s.%s = %s", g.inst(), g.pick("n", "k", "zz"), g.num(2)) })
	one(func(g *gen) { g.line("%s.t = %s", g.inst(), g.tensor(1)) })
	one(func(g *gen) { g.line("%s.l = %s", g.inst(), g.list(1)) })
	one(func(g *gen) { g.line("G = %s", g.num(2)) })
	one(func(g *gen) { g.line("%s.append(%s)", g.list(0), g.num(1)) })
	one(func(g *gen) { g.line("%s[%s] = %s", g.list(0), g.pick("0", "-1", "1", "i0 % 2"), g.num(1)) })
	one(func(g *gen) { g.line("i1 = %s.pop(%s)", g.list(0), g.pick("", "0", "-1")) })
	one(func(g *gen) {
		l := g.pick("L", "l0", "l1", "o1.l")
		g.line(g.pick("%s.insert(0, i0)", "%s.extend(T3)", "%s.remove(2)", "%s.reverse()", "%s.sort()", "%s.sort(key=key1)", "%s.clear()", "del %s[0]", "%s[0:1] = [i0, i1]", "%s[:] = [1, 2]", "%s += [i1]"), l)
	})
	one(func(g *gen) { g.line("D['%s'] = %s", g.pick("a", "b", "c", "d"), g.num(1)) })
	one(func(g *gen) {
		g.text(g.pick("del D['a']", "del D['b']", "i1 = D.pop('a', 0)", "D.update(a=i0)", "D.update({'c': i1})", "D['a'] += 1", "D = {**D, 'z': i0}", "D = dict(a=i0)", "D[i0] = i1", "D[(1, i0)] = 2", "i1 = len(D.items())", "D.clear()"))
	})
	one(func(g *gen) {
		g.text(g.pick("E.add(i0)", "E.discard(2)", "E.remove(1)", "E = {i0, 1}", "E = E | {i1}", "E.update(L)", "i2 = len(E)", "E = set(l0)", "E &= {1, 2}"))
	})
	many(3, func(g *gen) { g.line("print(%s, %s)", g.anything(1), g.anything(1)) })
	one(func(g *gen) { g.line("print(%s)", g.str()) })
	one(func(g *gen) { g.line("S = %s", g.pick("S + 'q'", "S[:3]", "f'{i0}'", "str(i1)", "'r'")) })
	one(func(g *gen) { g.line("x0 = %s", g.inst()) })
	one(func(g *gen) { g.line("%s.add_(%s)", g.tensor(0), g.pick(g.tensor(0), g.num(0))) })
	one(func(g *gen) {
		g.line("%s.%s", g.pick("ta", "t0", "t1", "tv"), g.pick("mul_(2)", "zero_()", "neg_()", "clamp_(-5, 5)", "fill_(i0)", "sub_(1)", "uniform_()", "normal_()", "masked_fill_(ta > 1, 3)"))
	})
	one(func(g *gen) { g.line("%s.copy_(%s)", g.tensor(0), g.tensor(1)) })
	one(func(g *gen) { g.line("%s %s %s", g.pick("t0", "t1", "i0", "i1"), g.pick("+=", "-="), g.num(1)) })
	one(func(g *gen) { g.line("t0 %s %s", g.pick("+=", "*=", "-="), g.tensor(0)) })
	one(func(g *gen) {
		g.line("x0 = %s", g.pick("A()", "B()", "C()", "C(i0, 1, z=2)", "C.make(i0)", "type(o1)()"))
	})
	one(func(g *gen) { g.line("%s = deep(%s)", g.pick("i1", "i2"), g.tensor(1)) })
	one(func(g *gen) {
		g.line("i2 = %s %% 5", g.pick("look("+g.tensor(1)+")", "int(round(("+g.tensor(1)+").sum().clamp(-9, 9).item(), 2))"))
	})
	one(func(g *gen) { g.line("i1 = 10 + id(o1) * 0 + %s", g.num(0)) })
	one(func(g *gen) { g.line("L2[0] = %s", g.pick("o1", "o2", "x0", "c1")) })
	one(func(g *gen) { g.line("%s.sub = %s", g.inst(), g.inst()) })
	one(func(g *gen) {
		g.text(g.pick("tw.grad = None", "tw.grad.zero_()", "print(tw.grad)", "t0 = tw.grad", "tw.grad = t0.float()"))
	})
	one(func(g *gen) {
		g.line(g.pick("c1.p = %s", "c1.n = %s", "c1[0] = %s", "c1.l.append(%s)", "C.made = %s"), g.num(1))
	})
	nest(2, func(g *gen) {
		g.line("if %s:", g.cond(1))
		g.block(3)
		if g.n(3) == 0 {
			g.line("elif %s:", g.cond(1))
			g.block(2)
		}
		if g.n(2) == 0 {
			g.line("else:")
			g.block(3)
		}
	})
	nest(3, func(g *gen) {
		v := fmt.Sprintf("v%d", g.depth)
		g.line("for %s in %s:", v, g.pick("range(3)", "range("+g.num(0)+" % 4)", "list(l0)[:4]", "list(L)[:4]", "D", "first(l1)", "first(L)", "(1, 2)", "[k for k in D]", "c1", "list(E)", "D.values()", "D.items()", "'ab'", "reversed(l1)", "T3", "L", "ta", "zip(l0, T3)", "enumerate(T3)"))
		g.ind++
		g.line("%s", g.pick("i0 = i0 + 1", "print("+v+")", "i1 = i0", "l1.append(1)"))
		g.line("i0 = i0 + 1")
		g.line("if i0 > 40:")
		g.line("    %s", g.pick("break", "return i0"))
		g.ind--
		g.loop(3)
		if g.n(4) == 0 {
			g.line("    %s", g.pick("continue", "break"))
		}
		if g.n(4) == 0 {
			g.line("else:")
			g.block(1)
		}
	})
	nest(2, func(g *gen) {
		v := fmt.Sprintf("w%d", g.depth)
		g.line("%s = 0", v)
		g.line("while %s:", g.pick(v+" < 3", v+" < len(L) % 4", v+" < G % 4", "True", g.cond(1)))
		g.ind++
		g.line("%s += 1", v)
		g.line("if %s > %d:", v, 2+g.n(3))
		g.line("    break")
		if g.n(4) == 0 {
			g.line("if %s:", g.cond(1))
			g.line("    continue")
		}
		g.ind--
		g.loop(3)
		if g.n(3) == 0 {
			g.line("else:")
			g.block(2)
		}
	})
	nest(1, func(g *gen) {
		g.line("for y in series(%s, %s):", g.tensor(0), g.pick("2", "3"))
		g.line("    i0 = i0 + 1")
		g.line("    t0 = y")
		g.loop(2)
	})
	nest(1, func(g *gen) {
		g.line("for y in %s:", g.pick("talk(i0 % 4)", "chain(2)", "(a * 2 for a in first(L))", "[a for a in range(3)]", "map(key1, first(L))", "filter(None, first(l0))"))
		g.line("    i1 = y")
		g.loop(2)
	})
	nest(2, func(g *gen) {
		g.line("try:")
		g.block(3)
		if g.n(3) == 0 {
			g.line("except %s:", g.pick("KeyError", "(ValueError, TypeError)", "AttributeError", "RuntimeError"))
			g.block(2)
		}
		g.line("except Exception as e:")
		g.line("    print('exc', type(e).__name__, e)")
		g.block(1)
		if g.n(4) == 0 {
			g.line("else:")
			g.block(1)
		}
		if g.n(4) == 0 {
			g.line("finally:")
			g.block(2)
		}
	})
	nest(1, func(g *gen) {
		g.line("try:")
		g.block(2)
		if g.loops > 0 && g.n(3) == 0 {
			g.line("    %s", g.pick("continue", "break", "return i0"))
		}
		g.line("finally:")
		g.block(2)
	})
	nest(1, func(g *gen) {
		g.line("if %s.sum() > %s:", g.tensor(0), g.num(0))
		g.block(2)
	})
	nest(1, func(g *gen) {
		g.line("with %s:", g.pick("torch.no_grad()", "torch.enable_grad()", "torch.set_grad_enabled(G > 1)"))
		g.block(2)
	})
	nest(1, func(g *gen) {
		g.line("with c1%s:", g.pick("", " as x0", ", torch.no_grad()"))
		g.block(2)
	})
	nest(1, func(g *gen) {
		g.line("for j, q in enumerate(%s):", g.pick("first(L)", "(ta, tb)", "first(l0)", "L"))
		g.line("    i2 = i2 + j")
		g.line("    if j > 4:")
		g.line("        break")
		g.loop(1)
	})
	nest(1, func(g *gen) {
		g.line("match %s:", g.pick("i0", "T3", "x0", "L", "S", "N"))
		g.line("    case %s:", g.pick("0", "(1, q)", "A(n=1)", "[1, *_]", "'q' | 'r'", "None", "int()"))
		g.ind++
		g.block(1)
		g.ind--
		g.line("    case _:")
		g.ind++
		g.block(1)
		g.ind--
	})
	one(func(g *gen) {
		g.line(g.pick("raise ValueError('x' + str(%s))", "raise KeyError(%s)", "assert %s > 1, 'small'", "raise RuntimeError(S) from None if %s else None"), g.num(0))
	})
	one(func(g *gen) { g.line("inner = make(%s)", g.num(0)) })
	one(func(g *gen) { g.line("i1 = %s", g.pick("inner(1)", "inner(i0)", "count(2)")) })
	one(func(g *gen) {
		g.names++
		g.line("def loc%d(z%s):", g.names, g.pick("", ", q=i0", ", *r"))
		g.line("    return z + ci + %s", g.pick("1", "G", "o1.n"))
		g.line("ci = %s", g.num(1))
		g.line("%s", g.pick(fmt.Sprintf("inner = loc%d", g.names), fmt.Sprintf("i2 = loc%d(2)", g.names), fmt.Sprintf("o1.fn = loc%d", g.names)))
	})
	one(func(g *gen) {
		g.names++
		g.line("def loc%d(z):", g.names)
		g.line("    nonlocal i2, t1")
		g.line("    i2 = i2 + z")
		g.line("    t1 = t1 * %s", g.pick("2", "z", "tb"))
		g.line("    return i2")
		g.line("i1 = loc%d(%s)", g.names, g.num(0))
	})
	many(3, func(g *gen) {
		g.line("%s", g.pick("i1 = next(git)", "t0 = next(gg)", "it = iter(L)", "i1 = next(iter(L))", "git = iter(list(l0))", "gg = series(t0, 4)", "l0 = sorted(list(l1), key=key1)", "i1 = uu", "uu = i0", "l1 = l1 + [i0]", "l0 += [i1]",
			"i1 = next(gt)", "i1 = gt.send(i0)", "gt = talk(3)", "gt = chain(2)", "gt.close()", "i1 = next(gt, 9)", "gt.throw(KeyError('t'))", "i1, *l0 = L", "i1, i2 = T3", "(i0, i1), i2 = (1, 2), 3", "i0, i1 = i1, i0", "git = enumerate(L)", "git = zip(L, l0)", "i1, i2 = next(git)", "it = map(key1, L)", "git = (a + i0 for a in L)",
			"x0 = max([o1, o2], key=lambda o: o.n)", "l0 = [a for a in (key1(b) for b in L)][:4]"))
	})
	many(3, func(g *gen) {
		g.line("t1 = alias(%s, %s, %s, %s, %s, %s)", g.tensor(1), g.tensor(0), g.list(0), g.list(0), g.inst(), g.inst())
	})
	one(func(g *gen) {
		g.line("%s", g.pick("del o1.zz", "setattr(o2, 'yy', i0)", "del x0.k", "A.k = i0", "B.k = 2", "o1.fn = None", "x0.m = count", "i1 = o1.fn(2)", "t0 = t1[0]", "t1 = ta.view(1, 2)", "N = x0", "N = None", "i0 = 0", "del i1\ni1 = 1", "N = o1.m\ni1 = N(2)", "N = lambda: i0", "i1 = N()", "print(vars(c1)['n'])", "T3 = (i0, 1)", "T3 = T3 + (1,)\nT3 = T3[:2]"))
	})
	one(func(g *gen) {
		g.line("t0 = torch.%s", g.pick("rand(2)", "randn(2)", "randn(len(L))[:2]", "rand(1, generator=None)", "manual_seed(i0) and ta"))
	})
	one(func(g *gen) {
		g.line("%s = %s", g.pick("ta[0]", "ta[i0 % 2]", "t0[0]", "M[0]", "M[0, 1]", "ta[ta > 1]", "tv[:1]", "M[:, i0 % 2]"), g.pick("1.5", g.num(0), "tb[0]"))
	})
	many(2, func(g *gen) { g.line("(tw * %s).sum().backward()", g.tensor(0)) })
	one(func(g *gen) {
		g.line(g.pick("tape = (tw * %s).sum()", "tape = (tw * tw).sum() + %s.sum()", "t1 = tw * %s"), g.tensor(0))
	})
	one(func(g *gen) {
		g.text(g.pick("tape.backward()", "tape.backward(retain_graph=True)", "t0 = torch.autograd.grad((tw * ta).sum(), [tw])[0]", "t0 = torch.autograd.grad(tape, [tw], retain_graph=True)[0]", "t1 = tape.detach()", "i1 = tape.requires_grad", "t0.requires_grad_()", "t0 = t0.detach().requires_grad_()", "t0.backward()", "K = tape", "K = None", "(t0 * tw).mean().backward()", "t1.retain_grad()"))
	})
	one(func(g *gen) {
		switch {
		case g.train:
			g.line("train(%s)", g.pick("1", "2", "3"))
		case g.model:
			g.text(g.pick("learn(tb)", "learn(ta.detach())", "opt.step()", "net.zero_grad()", "net.eval()", "net.train()", "t0 = net(tb)", "opt.param_groups[0]['lr'] *= 0.5", "i1 = len(list(net.parameters()))", "i1 = net.training", "N = net.state_dict()['fc.bias']", "N = net"))
		default:
			g.line("i0 = i0 + 1")
		}
	})
	one(func(g *gen) {
		g.line("%s = %s", g.pick("K", "l1"), g.pick("[a * 2 for a in first(L)]", "{a: 1 for a in first(l0)}", "[t0, t1]", "sorted(first(L))", "list(zip(first(L), first(l0)))", "[(a, b) for a in T3 for b in l0[:2]]", "{a for a in L}", "(i0, t0)", "{'k': l0}", "[lambda: i0]", "slice(i0, 3)", "[x0, x0]"))
		g.line("l1 = [1, 2]")
	})
}
