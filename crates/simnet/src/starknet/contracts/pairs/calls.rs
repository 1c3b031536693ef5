//! Calls to a venue's contracts, for those who trade from within the world.

use super::pair_id::{KnownPair, PairId};
use super::rules::{Path, Rules};
use crate::starknet::contract::halves;
use crate::starknet::transaction::Call;
use primitives::{Felt, U256, selector};

/// Later than any block.
const NO_DEADLINE: u64 = 1 << 40;

/// A trade along pairs that begins with `sold`.
#[derive(Debug, Clone)]
pub(crate) struct Swap<'s> {
    pub(crate) sold: Felt,
    pub(crate) pairs: &'s [KnownPair],
    pub(crate) to: Felt,
}

impl Rules {
    /// Creates a pair.
    pub(crate) fn create_pair_call(&self, id: &PairId) -> Call {
        let name = self.case.name("create_pair", "createPair");
        call(self.factory, name, self.id(id))
    }

    /// Asks for the address of a pair.
    pub(crate) fn get_pair_call(&self, id: &PairId) -> Call {
        let name = self.case.name("get_pair", "getPair");
        call(self.factory, name, self.id(id))
    }

    /// Brings at most `amounts`, in the order of the pair's tokens, of which the
    /// router may spend as much; creates the pair if there is none.
    pub(crate) fn add_liquidity_call(&self, id: &PairId, amounts: [U256; 2], to: Felt) -> Call {
        let name = self.case.name("add_liquidity", "addLiquidity");
        let mut calldata = self.id(id);
        for amount in amounts.into_iter().chain([U256::ZERO; 2]) {
            calldata.extend(halves(amount));
        }
        calldata.extend([to, Felt::from(NO_DEADLINE)]);
        call(self.router, name, calldata)
    }

    /// Takes the part of `shares`, of which the router may spend as many.
    pub(crate) fn remove_liquidity_call(&self, id: &PairId, shares: U256, to: Felt) -> Call {
        let name = self.case.name("remove_liquidity", "removeLiquidity");
        let mut calldata = self.id(id);
        for amount in [shares, U256::ZERO, U256::ZERO] {
            calldata.extend(halves(amount));
        }
        calldata.extend([to, Felt::from(NO_DEADLINE)]);
        call(self.router, name, calldata)
    }

    /// Sells exactly `amount` for at least `least`.
    pub(crate) fn sell_call(&self, swap: &Swap<'_>, amount: U256, least: U256) -> Call {
        let case = self.case;
        let name = case.name("swap_exact_tokens_for_tokens", "swapExactTokensForTokens");
        self.swap_call(name, swap, [amount, least])
    }

    /// Sells exactly `amount` along a path in the venue's own layout, for whatever
    /// there is.
    pub(crate) fn sell_along_call(&self, path: &[Felt], amount: U256, to: Felt) -> Call {
        let case = self.case;
        let name = case.name("swap_exact_tokens_for_tokens", "swapExactTokensForTokens");
        self.swap_along_call(name, path, [amount, U256::ZERO], to)
    }

    /// Asks what `amount` comes to along a path in the venue's own layout.
    pub(crate) fn amounts_out_call(&self, path: &[Felt], amount: U256) -> Call {
        let name = self.case.name("get_amounts_out", "getAmountsOut");
        let calldata = [&halves(amount), path].concat();
        call(self.router, name, calldata)
    }

    /// Buys exactly `amount` for at most `most`.
    pub(crate) fn buy_call(&self, swap: &Swap<'_>, amount: U256, most: U256) -> Call {
        let case = self.case;
        let name = case.name("swap_tokens_for_exact_tokens", "swapTokensForExactTokens");
        self.swap_call(name, swap, [amount, most])
    }

    fn swap_call(&self, name: &str, swap: &Swap<'_>, amounts: [U256; 2]) -> Call {
        self.swap_along_call(name, &self.path(swap), amounts, swap.to)
    }

    fn swap_along_call(&self, name: &str, path: &[Felt], amounts: [U256; 2], to: Felt) -> Call {
        let mut calldata = amounts.map(halves).concat();
        calldata.extend(path);
        calldata.extend([to, Felt::from(NO_DEADLINE)]);
        call(self.router, name, calldata)
    }

    fn id(&self, id: &PairId) -> Vec<Felt> {
        let mut felts = id.tokens.to_vec();
        felts.extend(self.kind_of(id));
        felts
    }

    /// What names a pair beside its tokens.
    fn kind_of(&self, id: &PairId) -> Vec<Felt> {
        let (stable, fee) = (Felt::from(id.stable), Felt::from(id.fee));
        match self.path {
            Path::Tokens => vec![],
            Path::Stable => vec![stable],
            Path::Tiered => vec![stable, fee],
            Path::Pairs => vec![fee],
        }
    }

    fn path(&self, swap: &Swap<'_>) -> Vec<Felt> {
        let count = swap.pairs.len();
        let mut tokens = vec![swap.sold];
        let mut sold = swap.sold;
        for pair in swap.pairs {
            let [low, high] = pair.id.tokens;
            sold = if sold == low { high } else { low };
            tokens.push(sold);
        }
        match self.path {
            Path::Tokens => [vec![Felt::from(count + 1)], tokens].concat(),
            Path::Pairs => {
                let mut path = vec![swap.sold, Felt::from(count)];
                path.extend(swap.pairs.iter().map(|pair| pair.address));
                path
            }
            Path::Stable | Path::Tiered => {
                let mut path = vec![Felt::from(count)];
                let ways = tokens.iter().zip(tokens.iter().skip(1));
                for (pair, (sold, bought)) in swap.pairs.iter().zip(ways) {
                    path.extend([*sold, *bought]);
                    path.extend(self.kind_of(&pair.id));
                }
                path
            }
        }
    }
}

fn call(to: Felt, name: &str, calldata: Vec<Felt>) -> Call {
    Call {
        to,
        selector: selector(name),
        calldata,
    }
}
