#![allow(clippy::all, clippy::pedantic, missing_docs)]
use market::*;
use primitives::*;
use store::*;
#[tokio::test(flavor = "multi_thread")]
async fn speed() {
    let dir = tempfile::tempdir().unwrap();
    let mut locs = vec![(
        "sqlite".to_string(),
        Location::Sqlite {
            dir: dir.path().join("d"),
        },
    )];
    if let Ok(u) = std::env::var("SPEED_PG") {
        locs.push(("pg".into(), Location::Postgres { url: u }));
    }
    for (n, loc) in locs {
        for (batch, total, readings) in [(100u64, 30_000u64, 0u64), (100, 20_000, 2), (1, 1000, 1)]
        {
            let s = Store::open(&loc).await.unwrap();
            s.migrate().await.unwrap();
            let mut tip = s.chain().tip().await.unwrap();
            let t = tokio::time::Instant::now();
            for _ in 0..total / batch {
                let mut effects = vec![];
                let mut p = tip.unwrap_or(BlockRef {
                    number: 0,
                    hash: Felt::ZERO,
                });
                for _ in 0..batch {
                    let b = BlockRef {
                        number: p.number + 1,
                        hash: p.hash * Felt::from(7919u64) + Felt::from(12345u64),
                    };
                    effects.push(BlockEffects {
                        block: b,
                        parent_hash: p.hash,
                        time: Timestamp::UNIX_EPOCH,
                        readings: (0..readings)
                            .map(|i| {
                                (
                                    Address::new(b.hash + Felt::from(i)),
                                    Reading::Readable(TokenMetadata {
                                        name: "Some token".into(),
                                        symbol: "TOK".into(),
                                        decimals: 18,
                                    }),
                                )
                            })
                            .collect(),
                    });
                    p = b;
                }
                s.chain().append(tip, &effects).await.unwrap();
                tip = Some(p);
            }
            println!(
                "{n} batch {batch} readings/block {readings}: {:.0} blocks/s",
                total as f64 / t.elapsed().as_secs_f64()
            );
            let t = tokio::time::Instant::now();
            let r = s.chain().readings().await.unwrap();
            println!("   {} readings in {:?}", r.len(), t.elapsed());
            s.close().await;
        }
    }
}
