//! The exchange contract once more, for tests: it reads calldata by the ABI and
//! executes it on curves, sharing nothing with what made the calldata.

use crate::lab::address;
use crate::{Call, FeeTerms};
use amm::book::{AnyCurve, Kind, PoolView, Pools, Shape, Spot};
use amm::{Curve as _, Side};
use primitives::{Address, Felt, U256};
use std::collections::BTreeMap;

/// What the taker and the others have after a swap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// What was taken from the taker.
    pub(crate) sold: U256,
    /// What the taker got.
    pub(crate) bought: U256,
    /// What the platform got, by token.
    pub(crate) platform: BTreeMap<Address, U256>,
    /// What the integrator got, by token.
    pub(crate) integrator: BTreeMap<Address, U256>,
    /// How often the swaps were made.
    pub(crate) rounds: u32,
}

/// Reads felts one after the other.
pub(crate) struct Reader<'a>(pub(crate) &'a [Felt]);

impl Reader<'_> {
    pub(crate) fn felt(&mut self) -> Felt {
        let (first, rest) = self.0.split_first().unwrap();
        self.0 = rest;
        *first
    }

    pub(crate) fn address(&mut self) -> Address {
        Address::new(self.felt())
    }

    pub(crate) fn u128(&mut self) -> u128 {
        u128::try_from(self.felt()).unwrap()
    }

    pub(crate) fn u256(&mut self) -> U256 {
        let (low, high) = (self.u128(), self.u128());
        (U256::from(high) << 128) | U256::from(low)
    }

    fn list(&mut self) -> Vec<Felt> {
        let length = self.u128();
        (0..length).map(|_| self.felt()).collect()
    }
}

/// A swap as it was written.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) sold: Address,
    pub(crate) bought: Address,
    pub(crate) exchange: Address,
    pub(crate) percent: u128,
    pub(crate) params: Vec<Felt>,
}

/// A call of the exchange contract as it was written.
#[derive(Debug, Clone)]
pub(crate) struct ExchangeCall {
    pub(crate) tokens: [Address; 2],
    pub(crate) sold: U256,
    pub(crate) bought: U256,
    /// The least to be bought, or the most to be sold.
    pub(crate) bound: U256,
    pub(crate) beneficiary: Address,
    pub(crate) integrator: (u128, Address),
    pub(crate) steps: Vec<Step>,
}

pub(crate) fn read(call: &Call) -> ExchangeCall {
    let mut reader = Reader(&call.calldata);
    let exact_out = call.entrypoint == "swap_exact_token_to";
    assert!(exact_out || call.entrypoint == "multi_route_swap");
    let (sell, sold) = (reader.address(), reader.u256());
    let most = exact_out.then(|| reader.u256());
    let (buy, bought) = (reader.address(), reader.u256());
    let bound = most.unwrap_or_else(|| reader.u256());
    let beneficiary = reader.address();
    let integrator = (reader.u128(), reader.address());
    let count = reader.u128();
    let steps = (0..count).map(|_| Step {
        sold: reader.address(),
        bought: reader.address(),
        exchange: reader.address(),
        percent: reader.u128(),
        params: reader.list(),
    });
    let steps = steps.collect();
    assert!(reader.0.is_empty(), "more felts than the ABI has");
    ExchangeCall {
        tokens: [sell, buy],
        sold,
        bought,
        bound,
        beneficiary,
        integrator,
        steps,
    }
}

/// Whether the venue's contract would come to this pool.
fn is_meant(view: &PoolView<'_>, step: &Step) -> bool {
    let pair = view.tokens();
    let trades = pair == [step.sold, step.bought] || pair == [step.bought, step.sold];
    if view.venue.router != Some(step.exchange) || !trades {
        return false;
    }
    let stable = Felt::from(view.pool.shape() == Shape::Stable);
    match (view.venue.kind, view.spot(), step.params.as_slice()) {
        (Kind::JediSwap | Kind::TenKSwap | Kind::Endur, _, []) => true,
        (Kind::SithSwap, _, [flag]) => *flag == stable,
        (Kind::StarkDefi, _, [flag, tier]) => *flag == stable && *tier == Felt::ZERO,
        (Kind::Nostra, Spot::Contract(own), [named]) => *named == own.felt(),
        (Kind::MySwap, Spot::Numbered(number), [named]) => *named == Felt::from(number),
        (
            Kind::Ekubo,
            Spot::Keyed {
                fee,
                tick_spacing,
                extension,
            },
            [
                token0,
                token1,
                named_fee,
                spacing,
                named_extension,
                distance,
            ],
        ) => {
            // Whatever the price, this reaches the last one.
            let widest = U256::from_be_bytes(distance.to_bytes_be());
            assert!(widest >= amm::ekubo::MAX_SQRT_RATIO - amm::ekubo::MIN_SQRT_RATIO);
            [*token0, *token1] == pair.map(Address::felt)
                && *named_fee == Felt::from(fee)
                && *spacing == Felt::from(tick_spacing)
                && *named_extension == extension.felt()
        }
        _ => false,
    }
}

/// The contract with the pools that it comes to.
struct Machine<'a> {
    asked: &'a ExchangeCall,
    curves: Vec<(AnyCurve, Side)>,
    balances: BTreeMap<Address, U256>,
}

impl Machine<'_> {
    fn balance(&mut self, token: Address) -> &mut U256 {
        self.balances.entry(token).or_default()
    }

    /// Makes all swaps once; `None` if one is refused.
    fn round(&mut self) -> Option<()> {
        for (place, step) in self.asked.steps.iter().enumerate() {
            assert!((1..=1_000_000_000_000).contains(&step.percent));
            let balance = *self.balance(step.sold);
            let amount = balance * U256::from(step.percent) / U256::from(1_000_000_000_000_u64);
            let (curve, side) = &mut self.curves[place];
            let fill = curve.exact_in(*side, amount).ok()?;
            if fill.bought.is_zero() {
                return None;
            }
            *curve = curve.after(*side, &fill).unwrap();
            *self.balance(step.sold) -= amount;
            *self.balance(step.bought) += fill.bought;
        }
        let [_, buy] = self.asked.tokens;
        let empty = self
            .balances
            .iter()
            .all(|(token, left)| *token == buy || left.is_zero());
        assert!(empty, "residual tokens");
        Some(())
    }
}

/// Executes a call; `None` if it reverts.
pub(crate) fn execute(call: &Call, pools: &Pools, terms: &FeeTerms) -> Option<Outcome> {
    let asked = read(call);
    let [sell, buy] = asked.tokens;
    assert_eq!(asked.steps.first().unwrap().sold, sell);
    assert_eq!(asked.steps.last().unwrap().bought, buy);
    let mut curves = Vec::new();
    for step in &asked.steps {
        let mut meant = pools.iter().filter(|view| is_meant(view, step));
        let view = meant.next()?;
        assert!(meant.next().is_none(), "two pools are meant");
        let side = if view.tokens()[0] == step.sold {
            Side::Token0
        } else {
            Side::Token1
        };
        curves.push((view.curve().ok()?, side));
    }
    let mut machine = Machine {
        asked: &asked,
        curves,
        balances: BTreeMap::from([(sell, asked.sold)]),
    };
    let weight = |token| terms.weights.get(&token).copied().unwrap_or(0);
    let of_bought = weight(buy) >= weight(sell);
    let (their_bps, recipient) = asked.integrator;
    let paid = recipient != address(0);
    let their_bps = if paid { their_bps } else { 0 };
    if call.entrypoint == "multi_route_swap" {
        let ours = if asked.steps.len() > 1 {
            terms.many
        } else {
            terms.one
        };
        let waived = terms.waived_for.contains(&recipient) && their_bps >= u128::from(ours.get());
        let our_bps = if waived { 0 } else { u128::from(ours.get()) };
        let part = |amount: U256, bps: u128| amount * U256::from(bps) / U256::from(10_000);
        let mut fees = [U256::ZERO; 2];
        if !of_bought {
            fees = [our_bps, their_bps].map(|bps| part(asked.sold, bps));
            *machine.balance(sell) -= fees[0] + fees[1];
        }
        machine.round()?;
        let mut received = *machine.balance(buy);
        if of_bought {
            fees = [our_bps, their_bps].map(|bps| part(received, bps));
            received -= fees[0] + fees[1];
        }
        let token = if of_bought { buy } else { sell };
        return (received >= asked.bound).then(|| Outcome {
            sold: asked.sold,
            bought: received,
            platform: BTreeMap::from([(token, fees[0])]),
            integrator: BTreeMap::from([(token, fees[1])]),
            rounds: 1,
        });
    }
    let bps = U256::from(their_bps);
    let (token, fee, target) = if of_bought {
        let fee = asked.bought * bps / U256::from(10_000);
        (buy, fee, asked.bought + fee)
    } else {
        let fee = asked.sold * bps / (U256::from(10_000) + bps);
        *machine.balance(sell) -= fee;
        (sell, fee, asked.bought)
    };
    if asked.bound < asked.sold {
        return None;
    }
    machine.round()?;
    let aim = target + target * U256::from(terms.exact_out.get()) / U256::from(10_000);
    let (mut sold, mut last, mut rounds) = (asked.sold, asked.sold, 1);
    let mut received = *machine.balance(buy);
    let mut brought = received;
    while received < target {
        if rounds == 4 {
            return None;
        }
        last = (last * (aim - received)).div_ceil(brought);
        if last > asked.bound - sold {
            return None;
        }
        *machine.balance(sell) += last;
        sold += last;
        machine.round()?;
        rounds += 1;
        brought = *machine.balance(buy) - received;
        received += brought;
    }
    Some(Outcome {
        sold,
        bought: asked.bought,
        platform: BTreeMap::from([(buy, received - target)]),
        integrator: BTreeMap::from([(token, fee)]),
        rounds,
    })
}
