"""The best that any way through the pools can pay, from above.

A linear program: what each pool takes and gives in each direction, every token
between in balance. A pool's curve is bounded by tangents, which lie above it
everywhere, so that the program's value is at least that of the best route,
whatever tangents there are. Where its solution is above a curve, a tangent is
added there, until it is not (Kelley's method). With a cost for each swap a
direction is used or not: a whole number, by which its tangents are scaled.
"""

import highspy

# The solution is above a curve by less than this part of the trade.
NEAR = 1e-8
NEAR_WITH_COSTS = 1e-6
MAX_ROUNDS = 200

# The most that a swap sells where swaps cost, in parts of the trade's worth.
MOST = 3.0

# The least of these is the first point where every curve has a tangent.
FIRST = [0.0, 1e-3, 1e-2, 0.1, 0.5, 1.0]


class Edge:
    """A pool in one direction, in parts of the trade's worth."""

    def __init__(self, curve, source, target, scale_in, scale_out):
        self.curve, self.source, self.target = curve, source, target
        self.scale_in, self.scale_out = scale_in, scale_out
        self.most = curve.most * scale_in

    def at(self, sold):
        bought, price = self.curve.at(sold / self.scale_in)
        return bought * self.scale_out, price * self.scale_out / self.scale_in


class Program:
    """The program of one order; `cost` is lost for every swap."""

    def __init__(self, edges, sell, buy, exact_out, cost):
        self.edges, self.cost, self.exact_out = edges, cost, exact_out
        self.solver = highspy.Highs()
        self.solver.silent()
        # Where whole numbers are wanted, HiGHS 1.15.1 goes wrong with finer
        # tolerances than its own: it then ends with swaps that sell nothing.
        if not cost:
            self.solver.setOptionValue("primal_feasibility_tolerance", 1e-10)
            self.solver.setOptionValue("dual_feasibility_tolerance", 1e-10)
        self.solver.setOptionValue("mip_rel_gap", 1e-7)
        sense = highspy.ObjSense.kMinimize if exact_out else highspy.ObjSense.kMaximize
        self.solver.changeObjectiveSense(sense)
        self.columns(sell, buy)
        sources, targets = {edge.source for edge in edges}, {edge.target for edge in edges}
        self.reaches = sell in sources and buy in targets

    def columns(self, sell, buy):
        # Column 0 is the open amount; then what each edge takes and gives.
        self.solver.addCol(1.0, 0.0, highspy.kHighsInf, 0, [], [])
        lost = self.cost if self.exact_out else -self.cost
        rows = {}
        for number, edge in enumerate(self.edges):
            # Where a swap is used or not, it needs a bound, and the lower the
            # better; nothing sensible sells many times what the trade is worth.
            most = min(edge.most, MOST if self.cost else highspy.kHighsInf)
            self.solver.addCol(0.0, 0.0, most, 0, [], [])
            self.solver.addCol(0.0, 0.0, highspy.kHighsInf, 0, [], [])
            rows.setdefault(edge.source, []).append((self.taken(number), -1.0))
            rows.setdefault(edge.target, []).append((self.given(number), 1.0))
            if self.cost:
                self.solver.addCol(lost, 0.0, 1.0, 0, [], [])
                self.row(-highspy.kHighsInf, 0.0, [(self.taken(number), 1.0), (self.used(number), -most)])
        for token, row in rows.items():
            # What comes to a token leaves it; the two ends have more to say.
            open_column, fixed = [], 0.0
            if token == sell:
                open_column, fixed = ([(0, 1.0)], 0.0) if self.exact_out else ([], -1.0)
            if token == buy:
                open_column, fixed = ([], 1.0) if self.exact_out else ([(0, -1.0)], 0.0)
            self.row(fixed, fixed, row + open_column)

    def width(self):
        return 3 if self.cost else 2

    def taken(self, number):
        return 1 + self.width() * number

    def given(self, number):
        return 2 + self.width() * number

    def used(self, number):
        return 3 + self.width() * number

    def row(self, low, high, entries):
        indices, values = zip(*entries)
        self.solver.addRow(low, high, len(entries), indices, values)

    def tangent(self, number, sold):
        bought, price = self.edges[number].at(sold)
        lift = bought - price * sold
        entries = [(self.given(number), 1.0), (self.taken(number), -price)]
        if self.cost:
            self.row(-highspy.kHighsInf, 0.0, entries + [(self.used(number), -lift)])
        else:
            self.row(-highspy.kHighsInf, lift, entries)

    def bound(self, hints):
        """The program's value: at least what the best route pays, or at most
        what it costs. Hints are points for first tangents."""
        if not self.reaches:
            return None
        for number, edge in enumerate(self.edges):
            for sold in {*FIRST, hints.get(number, 0.0)}:
                self.tangent(number, min(sold, edge.most))
        value = self.settled()
        if self.cost and value is not None:
            # Most tangents are found faster while swaps may be used in part.
            for number in range(len(self.edges)):
                self.solver.changeColIntegrality(self.used(number), highspy.HighsVarType.kInteger)
            value = self.settled()
        return value

    def solves(self):
        self.solver.run()
        if self.solver.getModelStatus() == highspy.HighsModelStatus.kNotset:
            # It went astray from where it was: once more from the start.
            self.solver.clearSolver()
            self.solver.run()
        return self.solver.getModelStatus() == highspy.HighsModelStatus.kOptimal

    def settled(self):
        """The value when no curve is passed any more."""
        value, near = None, NEAR_WITH_COSTS if self.cost else NEAR
        for _ in range(MAX_ROUNDS):
            if not self.solves():
                # Any round's value is a bound; the last one is the nearest.
                return value
            value = self.solver.getInfo().objective_function_value
            solution = self.solver.getSolution().col_value
            above = 0.0
            for number, edge in enumerate(self.edges):
                sold, bought = solution[self.taken(number)], solution[self.given(number)]
                excess = bought - edge.at(sold)[0] if bought > 0 else 0.0
                if excess > near / 10:
                    self.tangent(number, sold)
                    above += excess
            if above <= near:
                break
        return value
