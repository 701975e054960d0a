# The incremental constraint solver of Freeman-Benson and Maloney, on a chain
# of equalities: an edit at one end is planned once and carried to the other.
# A strength is a number; a smaller one is stronger.
REQUIRED, PREFERRED, NORMAL, WEAKEST = 0, 2, 4, 6


class Variable:
    def __init__(self, value):
        self.value = value
        self.constraints = []
        self.determined_by = None
        self.mark = 0
        self.walk_strength = WEAKEST
        self.stay = True


class Constraint:
    def __init__(self, strength, planner):
        self.strength = strength
        self.output = None
        for v in self.variables():
            v.constraints.append(self)
        planner.add(self)

    def satisfied(self):
        return self.output is not None

    def satisfy(self, mark, planner):
        self.choose(mark)
        out = self.output
        if out is None:
            if self.strength == REQUIRED:
                raise ValueError("a required constraint cannot be met")
            return None
        for v in self.inputs():
            v.mark = mark
        overridden = out.determined_by
        if overridden is not None:
            overridden.output = None
        out.determined_by = self
        planner.propagate(self, mark)
        out.mark = mark
        return overridden

    def inputs_known(self, mark):
        for v in self.inputs():
            if not (v.mark == mark or v.stay or v.determined_by is None):
                return False
        return True


class Edit(Constraint):
    def __init__(self, variable, strength, planner):
        self.variable = variable
        super().__init__(strength, planner)

    def variables(self):
        return [self.variable]

    def inputs(self):
        return []

    def choose(self, mark):
        v = self.variable
        free = v.mark != mark and self.strength < v.walk_strength
        self.output = v if free else None

    def recalculate(self):
        self.output.walk_strength = self.strength
        self.output.stay = False

    def execute(self):
        pass


class Equal(Constraint):
    def __init__(self, a, b, strength, planner):
        self.a = a
        self.b = b
        super().__init__(strength, planner)

    def variables(self):
        return [self.a, self.b]

    def source(self):
        return self.a if self.output is self.b else self.b

    def inputs(self):
        return [self.source()]

    def choose(self, mark):
        a, b = self.a, self.b
        if a.mark == mark:
            free = b.mark != mark and self.strength < b.walk_strength
            self.output = b if free else None
        elif b.mark == mark:
            self.output = a if self.strength < a.walk_strength else None
        elif a.walk_strength > b.walk_strength:
            self.output = a if self.strength < a.walk_strength else None
        else:
            self.output = b if self.strength < b.walk_strength else None

    def recalculate(self):
        source, out = self.source(), self.output
        out.walk_strength = max(self.strength, source.walk_strength)
        out.stay = source.stay
        if out.stay:
            self.execute()

    def execute(self):
        self.output.value = self.source().value


class Planner:
    def __init__(self):
        self.mark = 0

    def new_mark(self):
        self.mark += 1
        return self.mark

    def add(self, constraint):
        mark = self.new_mark()
        overridden = constraint.satisfy(mark, self)
        while overridden is not None:
            overridden = overridden.satisfy(mark, self)

    def consumers(self, v):
        return [c for c in v.constraints if c is not v.determined_by and c.satisfied()]

    def propagate(self, constraint, mark):
        todo = [constraint]
        while todo:
            c = todo.pop()
            if c.output.mark == mark:
                raise ValueError("a cycle of constraints")
            c.recalculate()
            todo.extend(self.consumers(c.output))

    def remove(self, constraint):
        out = constraint.output
        for v in constraint.variables():
            v.constraints.remove(constraint)
        constraint.output = None
        if out is None:
            return
        out.determined_by, out.walk_strength, out.stay = None, WEAKEST, True
        unsatisfied, todo = [], [out]
        while todo:
            v = todo.pop()
            for c in v.constraints:
                if not c.satisfied():
                    unsatisfied.append(c)
            for c in self.consumers(v):
                c.recalculate()
                todo.append(c.output)
        for c in sorted(unsatisfied, key=lambda c: c.strength):
            self.add(c)

    def plan(self, source):
        mark = self.new_mark()
        plan, todo = [], [source]
        while todo:
            c = todo.pop()
            if c.output.mark != mark and c.inputs_known(mark):
                plan.append(c)
                c.output.mark = mark
                todo.extend(self.consumers(c.output))
        return plan


def change(planner, variable, target, times):
    edit = Edit(variable, PREFERRED, planner)
    plan = planner.plan(edit)
    total = 0
    for i in range(times):
        variable.value = i
        for c in plan:
            c.execute()
        total += target.value
    planner.remove(edit)
    return total


def main():
    planner = Planner()
    chain = [Variable(i) for i in range(500)]
    for i in range(len(chain) - 1):
        Equal(chain[i], chain[i + 1], REQUIRED, planner)
    total = 0
    for _ in range(4):
        total += change(planner, chain[0], chain[-1], 100)
        total += change(planner, chain[-1], chain[0], 100)
    return total
