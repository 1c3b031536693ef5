//! Documents that wallets sign (SNIP-12, both revisions), and outside executions in
//! them. A document has one hash; an outside execution that is read is written as a
//! document that is read as the same.

#![no_main]

use libfuzzer_sys::{fuzz_mutator, fuzz_target};
use primitives::{Address, Felt, typed_data::TypedData};
use trading::paymaster::OutsideExecution;

const CHAIN: &str = "SN_STOA";

fuzz_target!(|text: &[u8]| {
    let Ok(document) = serde_json::from_slice(text) else {
        return;
    };
    let account = Address::new(Felt::TWO);
    if let Ok(data) = TypedData::parse(&document) {
        let _ = (data.revision(), data.domain_hash(), data.type_hash("Call"));
        let hash = data.hash(account.felt());
        if let Err(error) = &hash {
            let _ = error.to_string();
        }
        assert_eq!(hash.ok(), data.hash(account.felt()).ok());
    }
    if let Some((execution, hash)) = OutsideExecution::parse(&document, CHAIN, account) {
        let written = execution.typed_data(CHAIN);
        let again = OutsideExecution::parse(&written, CHAIN, account);
        assert_eq!(again, Some((execution, hash)));
    }
});

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    fuzz::mutate(data, size, max_size, seed)
});
