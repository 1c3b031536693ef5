"""Holds the program's answers against the recomputation."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Context, Decimal
from time import time
from typing import Any

from failure import Difference
from figures import ETH, HUBS, STABLES, STRK, Figures, Flow
from program import Stoa
from series import after, buckets, candles, opens, quotient, sums, value_before

# More digits than any amount has.
EXACT = Context(prec=100)
# Prices are products and quotients of a few floating-point numbers.
PRICE_TOLERANCE = 1e-9
# A worth is an amount times a price, rounded to hundred-millionths leg by leg.
WORTH_TOLERANCE = 1e-8
# As many prices as can be asked for in one request.
ASKED_AT_ONCE = 50
ALMOST = 1 + PRICE_TOLERANCE
# How many buckets are compared: so many from the first, and so many to the last.
FIRST, LAST = 50, 200
# Within what candles in another token are looked at, by docs/market-data.md.
FINER = {"5": "1", "15": "1", "1H": "1", "4H": "5", "1D": "15", "1W": "4H"}


def iso(moment: int) -> str:
    """A time as the program writes it."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds(date: str) -> int:
    """A time that the program wrote."""
    return int(datetime.fromisoformat(date).timestamp())


class Comparison:
    """What was compared so far, and how far apart it was at most."""

    def __init__(self, stoa: Stoa, figures: Figures) -> None:
        self.stoa = stoa
        self.figures = figures
        self.end = figures.time + 1
        self.everywhere: dict[int, list[Flow]] = {}
        self.summed: dict[tuple[int, str], dict[int, tuple[int, int]]] = {}
        self.counts: Counter[str] = Counter()
        self.farthest: dict[str, float] = {}

    def token(self, token: int, resolutions: list[str]) -> None:
        """Everything of a token, in each resolution."""
        for resolution in resolutions:
            for begins in self.windows(token, resolution):
                self.prices(token, resolution, begins)
                self.transfers(token, resolution, begins)
                self.trades(token, resolution, begins)
                self.tvl(token, resolution, begins)
        if token in (*STABLES, *HUBS):
            self.quotes(token, ETH if token == STRK else STRK)
        self.summary(token)
        self.changes(token)
        self.days(token)
        self.moments(token)
        self.counts["tokens"] += 1

    def windows(self, token: int, resolution: str) -> Iterator[list[int]]:
        """The first and the last buckets in which a token had a price."""
        # One bucket more at the beginning, in which there is none.
        begin = opens(resolution, self.figures.prices[token][0][0]) - 1
        all_of_them = buckets(resolution, begin, self.end)
        if len(all_of_them) > FIRST + LAST:
            yield all_of_them[:FIRST]
        yield all_of_them[-FIRST - LAST :]

    def series(
        self, token: int, path: str, resolution: str, begins: list[int], **more: str
    ) -> list[dict[str, Any]]:
        """The items of a series."""
        last = after(resolution, begins[-1])
        query = {
            "startDate": iso(begins[0]),
            "endDate": iso(min(last, self.end)),
            "resolution": resolution,
            **more,
        }
        return self.stoa.ask(f"/v3/tokens/{token:#x}/{path}", query)

    def prices(self, token: int, resolution: str, begins: list[int]) -> None:
        """Candles and their closes."""
        expected = candles(self.figures.prices[token], resolution, begins)
        traded = self.sums(self.all_trades(token), resolution)
        told = self.by_date(token, "prices/candle", resolution, begins, expected.keys())
        lines = self.by_date(token, "prices/line", resolution, begins, expected.keys())
        for begin, candle in expected.items():
            place = f"{resolution} candle of {token:#x} at {iso(begin)}"
            item = told[begin]
            for part in ("open", "high", "low", "close"):
                self.close(f"{part} of the {place}", item[part], getattr(candle, part))
            self.worth(f"volume of the {place}", item["volume"], traded.get(begin, (0, 0))[1])
            self.close(f"line beside the {place}", lines[begin]["value"], candle.close)
        self.counts["candles"] += len(expected)

    def by_date(
        self, token: int, path: str, resolution: str, begins: list[int], dates: Any
    ) -> dict[int, dict[str, Any]]:
        """The items of a series by their time, which must be all that are due."""
        items = self.series(token, path, resolution, begins)
        place = f"{path} of {token:#x} in {resolution} from {iso(begins[0])}"
        return self.dated(place, items, list(dates))

    def dated(
        self, place: str, items: list[dict[str, Any]], dates: list[int]
    ) -> dict[int, dict[str, Any]]:
        """Items by their time; every date once, in order, and no other."""
        found = [seconds(item["date"]) for item in items]
        if found != dates:
            odd = sorted(set(found) ^ set(dates))
            where = iso(odd[0]) if odd else "their order"
            raise Difference(f"{place}: {len(found)} buckets, not {len(dates)}; see {where}")
        return dict(zip(found, items))

    def transfers(self, token: int, resolution: str, begins: list[int]) -> None:
        """What was transferred."""
        flows = self.figures.transferred[token]
        items = self.series(token, "volumes/line", resolution, begins)
        place = f"{resolution} volumes/line of {token:#x}"
        self.amounts(place, token, items, flows, resolution, begins)

    def trades(self, token: int, resolution: str, begins: list[int]) -> None:
        """What was traded at each exchange."""
        items = self.series(token, "exchange-volumes/line", resolution, begins)
        names = {exchange for of, exchange in self.figures.traded if of == token}
        for exchange in self.same_exchanges(token, items, names):
            flows = self.figures.traded[token, exchange]
            of_it = [item for item in items if item["exchange"] == exchange]
            place = f"{resolution} exchange-volumes/line of {token:#x} at {exchange}"
            self.amounts(place, token, of_it, flows, resolution, begins)

    def same_exchanges(
        self, token: int, items: list[dict[str, Any]], names: set[str]
    ) -> list[str]:
        """The exchanges of a token; none is told that is not expected."""
        odd = {item["exchange"] for item in items} - names
        if odd:
            raise Difference(f"{token:#x} has never been at {sorted(odd)}")
        return sorted(names)

    def amounts(
        self,
        place: str,
        token: int,
        items: list[dict[str, Any]],
        flows: list[Flow],
        resolution: str,
        begins: list[int],
    ) -> None:
        """Sums of units and of worth in every bucket from the first flow on."""
        expected = self.sums(flows, resolution)
        first = opens(resolution, flows[0][0])
        dates = [begin for begin in begins if begin >= first]
        for begin, item in self.dated(place, items, dates).items():
            units, usd = expected.get(begin, (0, 0))
            where = f"{place} at {iso(begin)}"
            self.units(where, token, item["value"], units)
            self.worth(where, item["valueUsd"], usd)
        self.counts["volumes"] += len(dates)

    def tvl(self, token: int, resolution: str, begins: list[int]) -> None:
        """What lay in each exchange at the end of buckets."""
        items = self.series(token, "exchange-tvl/line", resolution, begins)
        names = {exchange for of, exchange in self.figures.locked if of == token}
        prices = self.figures.prices[token]
        for exchange in self.same_exchanges(token, items, names):
            levels = self.figures.locked[token, exchange]
            of_it = [item for item in items if item["exchange"] == exchange]
            place = f"{resolution} exchange-tvl/line of {token:#x} at {exchange}"
            first = opens(resolution, levels[0][0])
            dates = [begin for begin in begins if begin >= first]
            for begin, item in self.dated(place, of_it, dates).items():
                end = after(resolution, begin)
                units = value_before(levels, end)
                where = f"{place} at {iso(begin)}"
                self.units(where, token, item["value"], int(units or 0))
                price = value_before(prices, end) or 0.0
                self.close(where, item["valueUsd"], self.whole(token, units or 0) * price)
            self.counts["TVL points"] += len(dates)

    def quotes(self, token: int, quote: int) -> None:
        """Candles in another token: opens and closes are exact quotients,
        extremes lie between those of finer buckets' ends and the true ones."""
        ratios = quotient(self.figures.prices[token], self.figures.prices[quote])
        for resolution, finer in FINER.items():
            begins = list(self.windows(token, resolution))[-1]
            exact = candles(ratios, resolution, begins)
            items = self.series(token, "prices/candle", resolution, begins, **{"in": hex(quote)})
            place = f"{resolution} candles of {token:#x} in {quote:#x}"
            for begin, item in self.dated(place, items, list(exact)).items():
                where, candle = f"{place} at {iso(begin)}", exact[begin]
                self.close(f"open of {where}", item["open"], candle.open)
                self.close(f"close of {where}", item["close"], candle.close)
                ends = candles(ratios, finer, buckets(finer, begin, after(resolution, begin)))
                seen = [candle.open, *(bucket.close for bucket in ends.values())]
                high, low = float(item["high"]), float(item["low"])
                if not max(seen) <= high * ALMOST <= candle.high * ALMOST**2:
                    raise Difference(f"high of {where}: {high}, not {max(seen)}..{candle.high}")
                if not candle.low <= low * ALMOST <= min(seen) * ALMOST**2:
                    raise Difference(f"low of {where}: {low}, not {candle.low}..{min(seen)}")
            self.counts["candles in another token"] += len(exact)

    def all_prices(self) -> None:
        """The prices of all tokens that have one."""
        tokens = list(self.figures.published)
        for start in range(0, len(tokens), ASKED_AT_ONCE):
            asked = tokens[start : start + ASKED_AT_ONCE]
            told = self.stoa.ask("/v3/tokens/prices", body={"tokens": [hex(it) for it in asked]})
            found = [int(item["address"], 16) for item in told]
            if found != asked:
                odd = [hex(token) for token in set(found) ^ set(asked)]
                raise Difference(f"prices: {len(found)} of {len(asked)} tokens, apart from {odd}")
            for token, item in zip(asked, told):
                usd = self.figures.published[token].usd
                self.close(f"price of {token:#x}", item["networkMarket"]["usd"], usd)
        self.counts["prices of now"] += len(tokens)

    def summary(self, token: int) -> None:
        """The token's own record."""
        published = self.figures.published[token]
        told = self.stoa.ask(f"/v3/tokens/{token:#x}", {"withPriceFeed": "false"})["network"]
        self.close(f"price in the record of {token:#x}", told["usd"], published.usd)
        self.close(f"TVL of {token:#x}", told["usdTvl"], self.figures.tvl_usd(token))
        since = opens("1", self.figures.time) - 86_400
        for name, flows in (
            ("usdVolume24h", self.all_trades(token)),
            ("usdTradingVolume24h", self.figures.net[token]),
        ):
            usd = sum(usd for at, _, usd in flows if at >= since)
            self.worth(f"{name} of {token:#x}", told[name], usd)

    def changes(self, token: int) -> None:
        """By how much a price changed until now, whose minute is the clock's."""
        steps, usd = self.figures.prices[token], self.figures.published[token].usd
        clock = int(time())
        told = self.stoa.ask(f"/v3/tokens/{token:#x}", {"withPriceFeed": "false"})["network"]
        if opens("1", clock) != opens("1", int(time())):
            return self.changes(token)
        for name, span in (("1h", 3_600), ("24h", 86_400), ("7d", 604_800)):
            before = value_before(steps, opens("1", clock - span))
            change = told[f"usdPriceChange{name}"]
            percentage = told[f"usdPriceChangePercentage{name}"]
            place = f"change of {token:#x} in {name}"
            if before is None or percentage is None:
                if (before, change, percentage) != (None, 0, None):
                    raise Difference(f"{place}: {change}, {percentage} %, from {before}")
                continue
            self.close(place, before + float(change), usd)
            self.close(place, before * (1 + float(percentage) / 100), usd)
        self.counts["changes"] += 3

    def days(self, token: int) -> None:
        """What was traded in all on a few days."""
        last = opens("1D", self.figures.time)
        for first in (last, last - 6 * 86_400, last - 400 * 86_400):
            query = {"startDate": iso(first)[:10], "endDate": iso(last)[:10]}
            items = self.stoa.ask(f"/v3/tokens/{token:#x}/exchange-volumes", query)
            told = {item["exchange"]: item for item in items}
            traded = {at: flows for (of, at), flows in self.figures.traded.items() if of == token}
            expected = {at for at, flows in traded.items() if flows[0][0] < self.end}
            if len(told) != len(items) or told.keys() != expected:
                raise Difference(f"exchange-volumes of {token:#x}: {sorted(told)}")
            for exchange, item in told.items():
                flows = [flow for flow in traded[exchange] if flow[0] >= first]
                place = f"exchange-volumes of {token:#x} at {exchange} from {iso(first)}"
                self.units(place, token, item["value"], sum(units for _, units, _ in flows))
                self.worth(place, item["valueUsd"], sum(usd for _, _, usd in flows))
            self.counts["sums of days"] += len(items)

    def moments(self, token: int) -> None:
        """What lay in exchanges at a few moments, to the minute."""
        first = self.figures.prices[token][0][0]
        for eighth in range(1, 9):
            moment = first + (self.figures.time - first) * eighth // 8
            end = after("1", opens("1", moment))
            items = self.stoa.ask(f"/v3/tokens/{token:#x}/exchange-tvl", {"date": iso(moment)})
            expected = {
                at: value_before(levels, end)
                for (of, at), levels in self.figures.locked.items()
                if of == token and levels[0][0] < end
            }
            told = {item["exchange"]: item for item in items}
            if len(told) != len(items) or told.keys() != expected.keys():
                raise Difference(f"exchange-tvl of {token:#x} at {iso(moment)}: {sorted(told)}")
            price = value_before(self.figures.prices[token], end) or 0.0
            for exchange, item in told.items():
                units = int(expected[exchange] or 0)
                place = f"exchange-tvl of {token:#x} in {exchange} at {iso(moment)}"
                self.units(place, token, item["value"], units)
                self.close(place, item["valueUsd"], self.whole(token, units) * price)
            self.counts["TVL points"] += len(items)

    def all_trades(self, token: int) -> list[Flow]:
        """Everything that was traded of a token."""
        if token not in self.everywhere:
            traded = self.figures.traded.items()
            self.everywhere[token] = [flow for key, at in traded if key[0] == token for flow in at]
        return self.everywhere[token]

    def sums(self, flows: list[Flow], resolution: str) -> dict[int, tuple[int, int]]:
        """Flows by their buckets, made once."""
        key = (id(flows), resolution)
        if key not in self.summed:
            self.summed[key] = sums(flows, resolution)
        return self.summed[key]

    def whole(self, token: int, units: float) -> float:
        """An amount in whole tokens."""
        return units / 10 ** self.figures.decimals[token]

    # One figure

    def units(self, place: str, token: int, told: Any, units: int) -> None:
        """Amounts are equal to the last unit."""
        exact = EXACT.scaleb(Decimal(told), self.figures.decimals[token])
        if exact != units:
            raise Difference(f"{place}: {exact} units, not {units}")

    def worth(self, place: str, told: Any, usd: int) -> None:
        """Worths are equal up to the rounding of prices and of each leg."""
        self.near("worth", place, float(told), usd / 1e8, WORTH_TOLERANCE, 1e-6)

    def close(self, place: str, told: Any, price: float) -> None:
        """Prices are equal up to the last digits of floating point."""
        self.near("price", place, float(told), price, PRICE_TOLERANCE, 0.0)

    def near(
        self, what: str, place: str, told: float, own: float, relative: float, absolute: float
    ) -> None:
        """Two figures are as near as they have to be."""
        apart = abs(told - own)
        if apart > absolute + relative * abs(own):
            raise Difference(f"{place}: {told!r}, not {own!r}")
        if own:
            share = apart / abs(own)
            self.farthest[what] = max(self.farthest.get(what, 0.0), share)
