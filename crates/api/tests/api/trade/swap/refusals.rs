//! What quotes refuse.

use super::support::{AMOUNT, Desk, ETH, USDC, sale};

#[tokio::test]
async fn each_wrong_value_is_named_with_what_is_allowed() {
    let desk = Desk::new().await;
    let amount = |value: &str| {
        format!(
            "sellAmount must be a whole number, of decimal digits or of hexadecimal ones after 0x, \
             not {value:?}"
        )
    };
    let tokens = format!("sellTokenAddress={ETH}&buyTokenAddress={USDC}");
    let beyond = format!("0x1{}", "0".repeat(64));
    let whole = sale(AMOUNT);
    for (query, message) in [
        (
            tokens.clone(),
            "either sellAmount or buyAmount is required".to_owned(),
        ),
        (
            format!("{whole}&buyAmount=1"),
            "sellAmount and buyAmount exclude each other; give one of them".to_owned(),
        ),
        (
            sale("0"),
            "sellAmount must be more than 0, not \"0\"".to_owned(),
        ),
        (
            sale("0x0"),
            "sellAmount must be more than 0, not \"0x0\"".to_owned(),
        ),
        (
            format!("{tokens}&buyAmount=0x00"),
            "buyAmount must be more than 0, not \"0x00\"".to_owned(),
        ),
        (
            sale(&beyond),
            format!("sellAmount must be at most 2^256 - 1, not {beyond:?}"),
        ),
        (sale("0xg"), amount("0xg")),
        (sale("1.5"), amount("1.5")),
        (sale("-1"), amount("-1")),
        (sale(""), amount("")),
        (
            format!("{whole}&sellAmount=1"),
            "sellAmount may be given once".to_owned(),
        ),
        (
            whole.replace(USDC, ETH),
            format!(
                "sellTokenAddress and buyTokenAddress must be different tokens, both are {ETH}"
            ),
        ),
        (
            whole.replace(USDC, "0x123"),
            "buyTokenAddress: token 0x123 not found".to_owned(),
        ),
        (
            whole.replace(USDC, "USDC"),
            "buyTokenAddress \"USDC\" must begin with 0x".to_owned(),
        ),
        (
            whole.replace(ETH, "0xzz"),
            "sellTokenAddress \"0xzz\" has a character that is not a hexadecimal digit".to_owned(),
        ),
        (
            format!("buyTokenAddress={USDC}&sellAmount=1000"),
            "sellTokenAddress is required".to_owned(),
        ),
        (
            format!("{whole}&size=0"),
            "size must be a whole number from 1 to 5, not \"0\"".to_owned(),
        ),
        (
            format!("{whole}&size=6"),
            "size must be a whole number from 1 to 5, not \"6\"".to_owned(),
        ),
        (
            format!("{whole}&size=%2B1"),
            "size must be a whole number from 1 to 5, not \"+1\"".to_owned(),
        ),
        (
            format!("{whole}&onlyDirect=yes"),
            "onlyDirect must be true or false, not \"yes\"".to_owned(),
        ),
        (
            format!("{whole}&takerAddress=me"),
            "takerAddress \"me\" must begin with 0x".to_owned(),
        ),
        (
            format!("{whole}{}", "&excludeSources=a".repeat(65)),
            "excludeSources may be given at most 64 times".to_owned(),
        ),
    ] {
        let answer = desk.ask(&query).await;
        assert_eq!(answer.refused(400), [message], "{query}");
    }
}

#[tokio::test]
async fn an_integrator_must_be_complete_and_modest() {
    let desk = Desk::new().await;
    let name = "a".repeat(65);
    let fees = "integratorFees must be at most 500 basis points, not";
    let whole = sale(AMOUNT);
    let integrator = "integratorFeeRecipient=0xfee&integratorName=a";
    for (query, message) in [
        (
            format!("{whole}&integratorFees=501&{integrator}"),
            format!("{fees} \"501\""),
        ),
        (
            format!("{whole}&integratorFees=0x{}&{integrator}", "f".repeat(40)),
            format!("{fees} \"0x{}\"", "f".repeat(40)),
        ),
        (
            format!("{whole}&integratorFees=1%25&{integrator}"),
            "integratorFees must be a whole number, of decimal digits or of hexadecimal ones \
             after 0x, not \"1%\""
                .to_owned(),
        ),
        (
            format!("{whole}&integratorFees=30&integratorName=a"),
            "integratorFees needs integratorFeeRecipient: who gets them".to_owned(),
        ),
        (
            format!("{whole}&integratorFees=30&integratorFeeRecipient=0xfee"),
            "integratorFees needs integratorName: what the integrator is called".to_owned(),
        ),
        (
            format!("{whole}&integratorFees=30&integratorFeeRecipient=0x0&integratorName=a"),
            "the recipient of integrator fees must not be zero".to_owned(),
        ),
        (
            format!("{whole}&integratorFees=30&integratorFeeRecipient=0xfee&integratorName={name}"),
            format!("integratorName must have 1 to 64 visible characters, not {name:?}"),
        ),
    ] {
        let answer = desk.ask(&query).await;
        assert_eq!(answer.refused(400), [message], "{query}");
    }
}

#[tokio::test]
async fn everything_wrong_is_told_at_once() {
    let desk = Desk::new().await;
    let messages = desk
        .ask("sellTokenAddress=1&size=9&onlyDirect=1&integratorFees=600")
        .await
        .refused(400);
    assert_eq!(messages.len(), 8, "{messages:?}");
}

#[tokio::test]
async fn what_nobody_knows_is_ignored() {
    let desk = Desk::new().await;
    let query = format!(
        "{}&utm=1&integratorName=Alone&takerAddress=0x0&excludeSources=",
        sale(AMOUNT)
    );
    desk.quote(&query).await;
}
