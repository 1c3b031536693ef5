//! Where the exchange's contracts are.

use primitives::Felt;

/// The contract that holds all pools.
pub(crate) const CORE: Felt =
    Felt::from_hex_unchecked("0x00000005dd3d2f4429af886cd1a3b08289dbcea99a294197e9eb43b0e0325b4b");

/// The contract through which people hold positions.
pub(crate) const POSITIONS: Felt =
    Felt::from_hex_unchecked("0x02e0af29598b407c8716b17f6d2795eca1b471413fa03fb145a5e33722184067");

/// The contract through which people trade.
pub(crate) const ROUTER: Felt =
    Felt::from_hex_unchecked("0x0199741822c2dc722f6f605204f35e56dbc23bceed54818168c4c49e4fb8737e");

/// The extension that records prices; its pools trade as if they had none.
pub(crate) const ORACLE: Felt =
    Felt::from_hex_unchecked("0x005e470ff654d834983a46b8f29dfa99963d5044b993cb7b9c92243a69dab38f");
