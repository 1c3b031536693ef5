"""The best route as a program for HiGHS.

For each edge: what it takes, what it gives, and whether it is used. Every token
gets at least what is taken of it, at most so many edges are used, no pool in
both directions. A curve is bounded by tangents, which lie above it everywhere,
so that the program's value is at least that of the best route, whatever
tangents there are; where its solution is above a curve a tangent is added
(Kelley 1960). Tangents and the most that an edge takes are scaled by whether it
is used (the perspective of Günlük and Linderoth 2010), which keeps the program
near to the truth while edges may be used in part.
"""

from time import monotonic

import highspy
import numpy as np

from orders import TRADE

INF = highspy.kHighsInf

# Where curves have a tangent at first, in parts of the most that an edge takes.
FIRST = [0.0, 1e-3, 1e-2, 0.05, 0.2, 0.5, 1.0]

# A solution may be above all curves together by so many basis points.
NEAR = 1e-3
MAX_ROUNDS = 60


class Program:
    """The program of an order on some edges, with the tangents that other
    programs of it have found; `fixed` edges are all used."""

    def __init__(self, asked, edges, tangents, fixed=False):
        self.asked, self.edges, self.tangents = asked, edges, tangents
        self.solver = highspy.Highs()
        self.solver.silent()
        self.solver.setOptionValue("threads", 1)
        self.solver.setOptionValue("mip_rel_gap", 0.0)
        self.solver.changeObjectiveSense(highspy.ObjSense.kMaximize)
        self.columns(fixed)
        self.balances()
        if not fixed:
            self.limits()
        for number, edge in enumerate(edges):
            first = [part * min(edge.most, 3 * TRADE) for part in FIRST]
            for sold in tangents.setdefault((edge.pool, edge.side), first):
                self.add(number, sold)

    # Column 0 is the open amount; then what each edge takes and gives and
    # whether it is used.
    def taken(self, number):
        return 1 + 3 * number

    def given(self, number):
        return 2 + 3 * number

    def used(self, number):
        return 3 + 3 * number

    def columns(self, fixed):
        fee = self.asked.fees[1]
        self.solver.addCol(-1 - fee if self.asked.purchase else 1 - fee, 0.0, INF, 0, [], [])
        for number, edge in enumerate(self.edges):
            self.solver.addCol(0.0, 0.0, edge.most, 0, [], [])
            self.solver.addCol(0.0, 0.0, INF, 0, [], [])
            self.solver.addCol(-edge.cost, 1.0 if fixed else 0.0, 1.0, 0, [], [])
            if not fixed and edge.most < INF:
                self.row(-INF, 0.0, [(self.taken(number), 1.0), (self.used(number), -edge.most)])

    def balances(self):
        """What comes to a token is at least what leaves it, and all is sold that
        is to be sold: the exchange contract leaves nothing behind."""
        asked, rows = self.asked, {self.asked.sell: [], self.asked.buy: []}
        for number, edge in enumerate(self.edges):
            rows.setdefault(edge.source, []).append((self.taken(number), -1.0))
            rows.setdefault(edge.target, []).append((self.given(number), 1.0))
        rows[asked.sell if asked.purchase else asked.buy].append((0, 1.0 if asked.purchase else -1.0))
        self.row_of = {}
        for token, row in rows.items():
            low, high = 0.0, INF
            if asked.purchase and token == asked.buy:
                low = TRADE
            if not asked.purchase and token == asked.sell:
                low = high = -TRADE
            self.row_of[token] = self.solver.getNumRow()
            self.row(low, high, row)

    def limits(self):
        self.count_row = self.solver.getNumRow()
        self.row(-INF, self.asked.max_swaps, [(self.used(n), 1.0) for n in range(len(self.edges))])
        pools = {}
        for number, edge in enumerate(self.edges):
            pools.setdefault(edge.pool, []).append((self.used(number), 1.0))
        for both in pools.values():
            if len(both) > 1:
                self.row(-INF, 1.0, both)

    def row(self, low, high, entries):
        indices, values = zip(*entries) if entries else ((), ())
        self.solver.addRow(low, high, len(entries), indices, values)

    def tangent(self, number, sold):
        edge = self.edges[number]
        self.tangents[edge.pool, edge.side].append(sold)
        self.add(number, sold)

    def add(self, number, sold):
        bought, price = self.edges[number].at(sold)
        entries = [(self.given(number), 1.0), (self.taken(number), -price)]
        self.row(-INF, 0.0, entries + [(self.used(number), price * sold - bought)])

    def in_order(self):
        """Forbids circles: tokens get places, which edges go up (Miller, Tucker
        and Zemlin 1960)."""
        count = len(self.row_of)
        places = {}
        for token in self.row_of:
            places[token] = self.solver.getNumCol()
            self.solver.addCol(0.0, 0.0, count - 1.0, 0, [], [])
        for number, edge in enumerate(self.edges):
            ends = [(places[edge.target], 1.0), (places[edge.source], -1.0)]
            self.row(1.0 - count, INF, ends + [(self.used(number), -float(count))])

    def relaxed(self, deadline):
        """Adds tangents while edges may be used in part; the value, `None`
        where there is none."""
        value = None
        for _ in range(MAX_ROUNDS):
            if not self.run(deadline):
                return value
            value = self.solver.getInfo().objective_function_value
            if self.refine(self.solver.getSolution().col_value) <= NEAR or monotonic() > deadline:
                break
        return value

    def refine(self, columns):
        """Adds tangents where a solution is above a curve; by how much it is."""
        above = 0.0
        for number, edge in enumerate(self.edges):
            sold, bought = columns[self.taken(number)], columns[self.given(number)]
            part = columns[self.used(number)]
            if bought <= 0 or part <= 1e-9:
                continue
            at = min(sold / part, edge.most)
            excess = bought - edge.at(at)[0] * part
            if excess > NEAR / 30:
                self.tangent(number, at)
                above += excess
        return above

    def run(self, deadline):
        # The solver's clock goes on from run to run.
        left = max(deadline - monotonic(), 0.1)
        self.solver.setOptionValue("time_limit", self.solver.getRunTime() + left)
        self.solver.run()
        status = self.solver.getModelStatus()
        if status in (highspy.HighsModelStatus.kNotset, highspy.HighsModelStatus.kUnknown):
            # It went astray from where it was: once more from the start.
            self.solver.clearSolver()
            self.solver.run()
            status = self.solver.getModelStatus()
        return status == highspy.HighsModelStatus.kOptimal

    def prices(self):
        """What a unit of each token is worth at the solution, and what one more
        swap would be."""
        duals = self.solver.getSolution().row_dual
        tokens = {token: abs(duals[row]) for token, row in self.row_of.items()}
        return tokens, abs(duals[self.count_row])

    def whole(self, start, near, deadline):
        """Solves with edges used or not, `start` being a route's; what no route
        exceeds, and the places of the edges of the best one, `None` without any."""
        for number in range(len(self.edges)):
            self.solver.changeColIntegrality(self.used(number), highspy.HighsVarType.kInteger)
        self.solver.setOptionValue("mip_abs_gap", near)
        if start <= set(self.edges):
            used = [float(edge in start) for edge in self.edges]
            places = [self.used(number) for number in range(len(self.edges))]
            self.solver.setSolution(len(used), np.array(places, dtype=np.int32), np.array(used))
        self.run(deadline)
        info = self.solver.getInfo()
        if self.solver.getModelStatus() == highspy.HighsModelStatus.kInfeasible:
            return -INF, None
        columns = self.solver.getSolution().col_value
        found = None
        if info.primal_solution_status == 2:
            found = [n for n in range(len(self.edges)) if columns[self.used(n)] > 0.5 and columns[self.taken(n)] > 1e-7]
            self.refine(columns)
        return info.mip_dual_bound, found
