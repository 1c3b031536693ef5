//! The curves that live on reserves, judged by `python/curves.py`.
//!
//! Every family answers random sales and purchases of all magnitudes, from
//! nothing to what overflows. One claim in a thousand is made wrong by a unit on
//! purpose: the judge has to find exactly these.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on has failed"
)]

use amm::{Amplified, ConstantProduct, Curve, Deposit, Refusal, Side, Solidly};
use amm::{constant_product, solidly};
use oracles::{Draws, cases};
use primitives::U256;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Command, Stdio};

const JUDGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/python/curves.py");

/// A pool and how the judge reads it.
struct Case {
    curve: Box<dyn Curve>,
    pool: String,
    /// What the pool holds, for amounts that suit it.
    reserves: [u128; 2],
}

/// An answer in the judge's words.
fn words(answer: Result<U256, Refusal>) -> String {
    match answer {
        Ok(amount) => amount.to_string(),
        Err(Refusal::Nothing) => "-".to_owned(),
        Err(Refusal::Unsolved) => "?".to_owned(),
        Err(Refusal::TooMuch { most }) => format!(">{most}"),
    }
}

/// An answer that is wrong by one unit.
fn wrong(answer: Result<U256, Refusal>) -> String {
    words(match answer {
        Ok(amount) => Ok(amount + U256::ONE),
        Err(Refusal::TooMuch { most }) => Err(Refusal::TooMuch {
            most: most + U256::ONE,
        }),
        Err(_) => Ok(U256::ONE),
    })
}

/// An amount beside a reserve: mostly a part of it, sometimes anything.
fn amount(draws: &Draws, reserve: u128) -> U256 {
    let bits = 128 - reserve.leading_zeros();
    match draws.below(32) {
        0 => U256::from(draws.magnitude(128)),
        1 => U256::from(draws.magnitude(128)) << usize::try_from(draws.below(128)).unwrap(),
        2 => U256::from(reserve.saturating_sub(draws.below(3))),
        3..16 => U256::from(draws.below(reserve)),
        _ => U256::from(draws.magnitude(bits)),
    }
}

/// A case with the answers of its curve, one of them wrong if asked.
fn line(draws: &Draws, case: &Case, spoilt: bool) -> String {
    let side = draws.one_of(&Side::BOTH);
    let (reserve_in, reserve_out) = side.of(case.reserves);
    let (sold, wanted) = (amount(draws, reserve_in), amount(draws, reserve_out));
    let bought = case.curve.exact_in(side, sold).map(|fill| fill.bought);
    let needed = case.curve.exact_out(side, wanted).map(|fill| fill.sold);
    let (bought, needed) = match (spoilt, draws.below(2)) {
        (false, _) => (words(bought), words(needed)),
        (true, 0) => (wrong(bought), words(needed)),
        (true, _) => (words(bought), wrong(needed)),
    };
    let side = i32::from(side == Side::Token1);
    format!("{} {side} {sold} {bought} {wanted} {needed}", case.pool)
}

/// Draws cases, as many for each of so many rules, and has all of them judged.
fn judge(seed: u64, rules: usize, draw: impl Fn(&Draws) -> Option<Case>) {
    let cases = rules * cases();
    let draws = Draws::new(seed);
    let mut judge = Command::new("python3")
        .arg(JUDGE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("this test needs python3 (3.8 or later) on the path");
    let mut input = BufWriter::new(judge.stdin.take().unwrap());
    let answers = BufReader::new(judge.stdout.take().unwrap());
    let reader =
        std::thread::spawn(move || answers.lines().collect::<Result<Vec<_>, _>>().unwrap());
    let mut lines = Vec::new();
    // A draw may be a state that no contract has: rarely, so twice as many suffice.
    for _ in 0..2 * cases {
        if lines.len() == cases {
            break;
        }
        if let Some(case) = draw(&draws) {
            let line = line(&draws, &case, spoilt(lines.len()));
            writeln!(input, "{line}").unwrap();
            lines.push(line);
        }
    }
    drop(input);
    let answers = reader.join().unwrap();
    assert!(judge.wait().unwrap().success());
    assert_eq!(lines.len(), cases, "too few states that a contract has");
    assert_eq!(answers.len(), lines.len());
    let mismatches: Vec<String> = lines
        .iter()
        .zip(&answers)
        .enumerate()
        .filter(|(index, (_, answer))| (answer.as_str() != "ok") != spoilt(*index))
        .map(|(_, (line, answer))| format!("{line}\n    {answer}"))
        .collect();
    let shown: Vec<&str> = mismatches.iter().take(10).map(String::as_str).collect();
    assert!(
        mismatches.is_empty(),
        "{} mismatches:\n{}",
        mismatches.len(),
        shown.join("\n")
    );
}

fn spoilt(index: usize) -> bool {
    index % 1_000 == 999
}

/// A fee of up to one per cent, or rarely of anything below half.
fn fee(draws: &Draws, scale: u64) -> u64 {
    let end = if draws.below(16) == 0 {
        scale / 2
    } else {
        scale / 100
    };
    u64::try_from(draws.below(u128::from(end) + 1)).unwrap()
}

#[test]
fn constant_products() {
    use constant_product::Rule;
    judge(1, 6, |draws| {
        let small = |scale| u32::try_from(fee(draws, scale)).unwrap();
        let basis = u16::try_from(fee(draws, 10_000)).unwrap();
        let (rule, name, fees) = match draws.below(6) {
            0 => (Rule::JediSwap, "jedi", [3, 3]),
            1 => (Rule::TenKSwap, "tenk", [3, 3]),
            2 => (
                Rule::StarkDefi { fee: basis },
                "stark",
                [u64::from(basis); 2],
            ),
            3 => {
                let fees = [small(1_000_000), small(1_000_000)];
                (Rule::SithSwap { fees }, "sith", fees.map(u64::from))
            }
            4 => {
                let fee = fee(draws, 1_000_000_000_000_000_000);
                (Rule::Nostra { fee }, "nostra", [fee; 2])
            }
            _ => {
                let fee = small(100_000);
                (Rule::MySwap { fee }, "my", [u64::from(fee); 2])
            }
        };
        let bits = draws.one_of(&[112, 112, 112, 128]);
        let reserves = [draws.magnitude(bits), draws.magnitude(bits)];
        Some(Case {
            curve: Box::new(ConstantProduct::new(reserves, rule)?),
            pool: format!(
                "constant {name} {} {} {} {}",
                reserves[0], reserves[1], fees[0], fees[1]
            ),
            reserves,
        })
    });
}

/// Two reserves of tokens with so many decimals: mostly the same worth up to a
/// factor, sometimes anything.
fn stable_reserves(draws: &Draws, decimals: [u8; 2]) -> [u128; 2] {
    if draws.below(8) == 0 {
        return [draws.magnitude(128), draws.magnitude(112)];
    }
    let micro = 1 + draws.magnitude(50);
    let skewed = micro * (1 + draws.magnitude(10)) / (1 + draws.magnitude(10));
    let [missing0, missing1] =
        decimals.map(|decimals| 10_u128.pow(u32::from(decimals)) / 1_000_000);
    [
        micro * missing0 + draws.below(missing0),
        skewed * missing1 + draws.below(missing1),
    ]
}

#[test]
fn solidly_stables() {
    use solidly::Rule;
    judge(2, 1, |draws| {
        let decimals = [draws.one_of(&[6, 8, 18, 18]), draws.one_of(&[6, 8, 18, 18])];
        let reserves = stable_reserves(draws, decimals);
        let (rule, scale, fees) = if draws.below(2) == 0 {
            let fee = u16::try_from(fee(draws, 10_000)).unwrap();
            (Rule::StarkDefi { fee }, 10_000, [u32::from(fee); 2])
        } else {
            let fees = [0; 2].map(|_| u32::try_from(fee(draws, 1_000_000)).unwrap());
            (Rule::SithSwap { fees }, 1_000_000, fees)
        };
        Some(Case {
            curve: Box::new(Solidly::new(reserves, decimals, rule)?),
            pool: format!(
                "solidly {scale} {} {} {} {} {} {}",
                reserves[0], reserves[1], decimals[0], decimals[1], fees[0], fees[1]
            ),
            reserves,
        })
    });
}

#[test]
fn amplified_stables() {
    judge(3, 1, |draws| {
        let decimals = [draws.one_of(&[6, 8, 18, 18]), draws.one_of(&[6, 8, 18, 18])];
        let reserves = stable_reserves(draws, decimals);
        let rates = decimals.map(|decimals| {
            let whole = 10_u128.pow(36 - u32::from(decimals));
            match draws.below(3) {
                0 => whole,
                1 => whole + draws.below(whole / 4),
                _ => whole - draws.below(whole / 4),
            }
        });
        let amplification = 1_000 + u32::try_from(draws.magnitude(21)).unwrap();
        let fee = fee(draws, 1_000_000_000_000_000_000);
        Some(Case {
            curve: Box::new(Amplified::new(reserves, rates, amplification, fee)?),
            pool: format!(
                "amplified {} {} {} {} {amplification} {fee}",
                reserves[0], reserves[1], rates[0], rates[1]
            ),
            reserves,
        })
    });
}

#[test]
fn deposits() {
    judge(4, 2, |draws| {
        let [assets, shares] = [draws.magnitude(128), draws.magnitude(128)];
        Some(Case {
            curve: Box::new(Deposit::new(assets, shares)),
            pool: format!("deposit {assets} {shares}"),
            reserves: [assets, shares],
        })
    });
}
