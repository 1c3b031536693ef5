//! Users whose transactions relayers send: nothing is relayed twice, no sponsor spends
//! more than there is, and each is charged what receipts say.

use super::starknet::{Landed, Wallet};
use crate::{
    cluster::Cluster,
    harness::{STRK, USDC, ask, eventually, try_ask},
    schedule::Payer,
    sponsors::shown,
};
use primitives::{Address, Felt, felt_to_hex, selector, typed_data::TypedData};
use serde_json::{Value, json};
use simnet::StarknetNode;
use sqlx::{PgConnection, Row as _};

const ONE: u128 = 1_000_000_000_000_000_000;

/// No transfer reserves more, with all that replacing it may cost.
const MOST: u128 = ONE / 100;

/// What users transfer, each time another amount: by that the chain knows a wish.
const FIRST_AMOUNT: u128 = 95_660_000_000_000;

/// What a sponsor has, and what is reserved or was paid, at one moment.
const BOOKS: &str = "SELECT sponsor.credits,
    CAST(COALESCE(SUM(CASE state WHEN 'final' THEN fee_billions WHEN 'released' THEN 0
        ELSE reserved_billions END), 0) AS BIGINT),
    CAST(COALESCE(SUM(CASE state WHEN 'final' THEN fee_rest WHEN 'released' THEN 0
        ELSE reserved_rest END), 0) AS BIGINT)
    FROM ledger.sponsor LEFT JOIN ledger.sponsored ON sponsored.sponsor = sponsor.id
    WHERE sponsor.id = $1 GROUP BY sponsor.credits";

/// What each user had of a sponsor on each day.
const HAD: &str = "SELECT CAST(SUM(COALESCE(fee_billions, reserved_billions)) AS BIGINT),
    CAST(SUM(COALESCE(fee_rest, reserved_rest)) AS BIGINT)
    FROM ledger.sponsored WHERE sponsor = $1 AND state <> 'released'
    GROUP BY user_address, created_at / 86400000000";

/// Who pays for others.
struct Sponsor {
    payer: Payer,
    id: String,
    key: String,
    credits: u128,
    /// The most for a user in a day.
    daily: Option<u128>,
}

/// Something that a user signed.
struct Wish {
    amount: u128,
    payer: Payer,
    /// By which it is tracked; none if it was refused.
    tracked: Option<Value>,
}

/// Users and sponsors.
pub(super) struct Relays {
    users: [Wallet; 2],
    sponsors: Vec<Sponsor>,
    wishes: Vec<Wish>,
}

impl Relays {
    pub(super) fn new(cluster: &Cluster, users: [Wallet; 2]) -> Self {
        let sponsor = |payer: Payer, credits: &str, daily: Option<&str>| {
            let daily_words: Vec<&str> = daily.map_or(vec![], |most| vec!["--user-daily", most]);
            let words = ["create", "--name", "a sponsor", "--credits", credits];
            let (id, key) = shown(&cluster.sponsor(&[&words[..], &daily_words[..]].concat()));
            Sponsor {
                payer,
                id,
                key,
                credits: smallest(credits),
                daily: daily.map(smallest),
            }
        };
        Self {
            users,
            sponsors: vec![
                sponsor(Payer::Poor, "0.02", None),
                sponsor(Payer::Careful, "100", Some("0.02")),
            ],
            wishes: Vec::new(),
        }
    }

    /// Has a transfer of a user relayed; executed at every one of these addresses at
    /// once, which have to agree about it.
    pub(super) async fn relay(
        &mut self,
        cluster: &Cluster,
        ledger: &mut PgConnection,
        (user, payer): (usize, Payer),
        executed_at: &[String],
    ) {
        let amount = FIRST_AMOUNT + u128::try_from(self.wishes.len()).unwrap();
        let sponsor = self.sponsors.iter().find(|it| it.payer == payer);
        let key = sponsor.map_or("", |sponsor| sponsor.key.as_str());
        let mode = match payer {
            Payer::User => json!({"mode": "default", "gas_token": USDC}),
            Payer::Poor | Payer::Careful => json!({"mode": "sponsored"}),
        };
        let request = transfer(&self.users[user], amount, &mode);
        let built = call(&cluster.base, key, "paymaster_buildTransaction", &request).await;
        let outcomes = match built {
            Ok(built) => {
                let signed = signed(&self.users[user], &built, &mode);
                let method = "paymaster_executeTransaction";
                let [first, second] = [executed_at.first(), executed_at.get(1)];
                let first = call(first.unwrap(), key, method, &signed);
                match second {
                    Some(second) => {
                        let both = tokio::join!(first, call(second, key, method, &signed));
                        vec![both.0, both.1]
                    }
                    None => vec![first.await],
                }
            }
            Err(refused) => vec![Err(refused)],
        };
        let mut tracked: Option<Value> = None;
        for outcome in &outcomes {
            match outcome {
                Ok(sent) => {
                    let id = sent["tracking_id"].clone();
                    assert!(tracked.is_none_or(|it| it == id), "{outcomes:?}");
                    tracked = Some(id);
                }
                Err(refused) => self.is_right(ledger, payer, refused).await,
            }
        }
        self.wishes.push(Wish {
            amount,
            payer,
            tracked,
        });
    }

    /// Whether a refusal is one that has its reason: a sponsor who has too little.
    async fn is_right(&self, ledger: &mut PgConnection, payer: Payer, refused: &Value) {
        let words = refused["data"].as_str().unwrap_or_default();
        let sponsor = self.sponsors.iter().find(|it| it.payer == payer);
        let sponsor = sponsor.unwrap_or_else(|| panic!("{refused}"));
        let has_too_little = if words.ends_with("no credits are left") {
            sponsor.books(ledger).await.0 < MOST
        } else if words.ends_with("the user's budget of today is used up") {
            let had = sponsor.had(ledger).await.into_iter().max();
            had.unwrap_or(0) + MOST > sponsor.daily.unwrap()
        } else {
            false
        };
        assert!(has_too_little, "{refused}");
    }

    /// What holds at every moment.
    pub(super) async fn check(&self, ledger: &mut PgConnection) {
        for sponsor in &self.sponsors {
            let (left, used) = sponsor.books(ledger).await;
            assert_eq!(left + used, sponsor.credits, "{:?}", sponsor.payer);
            for had in sponsor.had(ledger).await {
                assert!(sponsor.daily.is_none_or(|most| had <= most), "{had}");
            }
        }
    }

    /// What holds once everything has settled.
    pub(super) async fn end(&self, cluster: &Cluster, landed: &[Landed]) {
        let relayers = StarknetNode::relayers().map(|relayer| relayer.address);
        let relayed = landed.iter().filter(|it| is_by(it, &relayers));
        let relayed: Vec<&Landed> = relayed.collect();
        let mut paid = vec![(0_u64, 0_u128); self.sponsors.len()];
        for wish in &self.wishes {
            let found: Vec<_> = relayed
                .iter()
                .filter(|it| it.mentions(wish.amount))
                .collect();
            let count = wish.count(cluster).await;
            assert_eq!(found.len(), count, "{} was relayed so often", wish.amount);
            let place = self.sponsors.iter().position(|it| it.payer == wish.payer);
            for (found, place) in found.iter().zip(place) {
                paid[place].0 += 1;
                paid[place].1 += found.fee();
            }
        }
        for (sponsor, (count, fees)) in self.sponsors.iter().zip(&paid) {
            sponsor.tells(cluster, *count, *fees).await;
        }
        let refused = self.wishes.iter().filter(|wish| wish.tracked.is_none());
        eprintln!(
            "{} relayed, {} refused; sponsors paid {paid:?}",
            relayed.len(),
            refused.count()
        );
    }
}

impl Wish {
    /// How often it should have been relayed.
    async fn count(&self, cluster: &Cluster) -> usize {
        let Some(id) = &self.tracked else {
            return 0;
        };
        let (method, wish) = (
            "paymaster_trackingIdToLatestHash",
            json!({"tracking_id": id}),
        );
        let told = call(&cluster.base, "", method, &wish).await.unwrap();
        match told["status"].as_str().unwrap() {
            "accepted" => 1,
            "dropped" => 0,
            _ => panic!("{told}"),
        }
    }
}

impl Sponsor {
    /// What is left, and what is reserved or was paid.
    async fn books(&self, ledger: &mut PgConnection) -> (u128, u128) {
        let row = sqlx::query(BOOKS).bind(&self.id).fetch_one(ledger).await;
        let row = row.unwrap();
        let credits: Vec<u8> = row.get(0);
        let credits = u128::from_be_bytes(credits.try_into().unwrap());
        (credits, whole(row.get(1), row.get(2)))
    }

    async fn had(&self, ledger: &mut PgConnection) -> Vec<u128> {
        let rows = sqlx::query_as(HAD).bind(&self.id).fetch_all(ledger).await;
        let rows: Vec<(i64, i64)> = rows.unwrap();
        let rows = rows.into_iter();
        rows.map(|(billions, rest)| whole(billions, rest)).collect()
    }

    /// What it is told that it paid is what the chain took.
    async fn tells(&self, cluster: &Cluster, count: u64, fees: u128) {
        // Times of blocks may be ahead of ours.
        let until = "startDate=2020-01-01T00:00:00Z&endDate=2100-01-01T00:00:00Z";
        let url = format!("{}/paymaster/v1/sponsor-activity?{until}", cluster.base);
        let headers = [("api-key", self.key.as_str())];
        let (status, told) = ask("GET", &url, "nobody", &headers, &Value::Null).await;
        assert_eq!(status, 200, "{told}");
        assert_eq!(told["txCount"], count, "{told}");
        assert_eq!(told["strkGasFees"], format!("{fees:#x}"), "{told}");
        let left = format!("{:#x}", self.credits - fees);
        assert_eq!(told["remainingStrkCredits"], left, "{told}");
        let node = cluster.nodes.line("node");
        cluster.sponsor(&["audit", &self.id, "--starknet-rpc", node]);
    }
}

/// Asks a paymaster until it answers something else than that it cannot now.
async fn call(url: &str, key: &str, method: &str, params: &Value) -> Result<Value, Value> {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let headers = [("x-paymaster-api-key", key)];
    eventually(method, async || {
        let asked = try_ask("POST", url, "nobody", &headers, &body).await;
        let (status, mut answer) = asked.ok()?;
        if status != 200 || answer["error"]["data"] == "service not available" {
            return None;
        }
        let refused = answer.get_mut("error").map(Value::take);
        Some(refused.map_or_else(|| Ok(answer["result"].take()), Err))
    })
    .await
}

/// A transfer of a user, to be built.
fn transfer(user: &Wallet, amount: u128, mode: &Value) -> Value {
    let call = json!({
        "to": STRK,
        "selector": felt_to_hex(selector("transfer")),
        "calldata": ["0x1234", felt_to_hex(Felt::from(amount)), "0x0"],
    });
    json!({
        "transaction": {
            "type": "invoke",
            "invoke": {"user_address": user.address, "calls": [call]},
        },
        "parameters": {"version": "0x1", "fee_mode": mode},
    })
}

/// What was built, with its user's signature.
fn signed(user: &Wallet, built: &Value, mode: &Value) -> Value {
    let document = &built["typed_data"];
    let hash = TypedData::parse(document).unwrap();
    let hash = hash.hash(user.address.felt()).unwrap();
    let signature = user.signer.sign(hash).unwrap().map(felt_to_hex);
    json!({
        "transaction": {"type": "invoke", "invoke": {
            "user_address": user.address, "typed_data": document, "signature": signature,
        }},
        "parameters": {"version": "0x1", "fee_mode": mode},
    })
}

fn is_by(landed: &Landed, senders: &[Address]) -> bool {
    landed
        .sender()
        .is_some_and(|sender| senders.contains(&sender))
}

fn whole(billions: i64, rest: i64) -> u128 {
    u128::try_from(billions).unwrap() * 1_000_000_000 + u128::try_from(rest).unwrap()
}

/// So many STRK, in hundredths at most, in its smallest unit.
fn smallest(strk: &str) -> u128 {
    let (whole, part) = strk.split_once('.').unwrap_or((strk, "0"));
    let hundredths: u128 = format!("{part:0<2}").parse().unwrap();
    whole.parse::<u128>().unwrap() * ONE + hundredths * (ONE / 100)
}
