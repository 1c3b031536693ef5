//! Memos: text that is noted with a transaction, and who stands by it.

use super::instruction::Call;
use crate::solana::failure::InstructionError;

/// The first version: any accounts, only the text is checked.
pub(super) fn note(call: &mut Call<'_>) -> Result<(), InstructionError> {
    text(call).map(drop)
}

/// The third version: every account that is named has to sign.
pub(super) fn note_signed(call: &mut Call<'_>) -> Result<(), InstructionError> {
    let mut missing = false;
    for place in 0..call.accounts.len() {
        let account = call.account(place)?;
        let (key, signs) = (account.key, account.signs);
        if signs {
            call.log(format!("Program log: Signed by {key}"));
        } else {
            missing = true;
        }
    }
    if missing {
        return Err(InstructionError::MissingRequiredSignature);
    }
    let text = text(call)?;
    let line = format!("Program log: Memo (len {}): {text:?}", text.len());
    call.log(line);
    Ok(())
}

fn text<'c>(call: &mut Call<'c>) -> Result<&'c str, InstructionError> {
    std::str::from_utf8(call.data).map_err(|error| {
        let at = error.valid_up_to();
        call.log(format!("Program log: Invalid UTF-8, from byte {at}"));
        InstructionError::InvalidInstructionData
    })
}
