//! From ticks to ratios and back.

use crate::concentrated::{power, tick_below};
use primitives::U256;

/// The lowest tick.
pub const MIN_TICK: i32 = -MAX_TICK;
/// The highest tick.
pub const MAX_TICK: i32 = 88_722_883;
/// The ratio at the lowest tick.
pub const MIN_SQRT_RATIO: U256 = U256::from_limbs([0x0000_03f7_f138_0b75, 1, 0, 0]);
/// The ratio at the highest tick.
pub const MAX_SQRT_RATIO: U256 = U256::from_limbs([
    0xf4b1_91ef_6dff_7928,
    0x6f35_28fe_2684_0249,
    0xffff_fc08_0ed7_b455,
    0,
]);

/// The ratio at a tick, `1.000001^(tick/2)` with 128 bits after the point;
/// `None` outside the bounds.
pub fn sqrt_ratio_at(tick: i32) -> Option<U256> {
    let within = (MIN_TICK..=MAX_TICK).contains(&tick);
    within.then(|| power(&FACTORS, tick)).flatten()
}

/// The greatest tick whose ratio is not above this one; `None` outside the
/// bounds.
pub fn tick_at(sqrt_ratio: U256) -> Option<i32> {
    if !(MIN_SQRT_RATIO..=MAX_SQRT_RATIO).contains(&sqrt_ratio) {
        return None;
    }
    let root = f64::from(sqrt_ratio) / 128.0_f64.exp2();
    tick_below(sqrt_ratio, root.ln() / HALF_LOG_BASE, sqrt_ratio_at)
}

/// The logarithm of the root of 1.000001.
pub(super) const HALF_LOG_BASE: f64 = 4.999_997_500_001_667e-7;

/// The root of 1.000001 to the powers of -1, -2, -4 and so on, in units of
/// 2^-128, each rounded to the nearest.
const FACTORS: [u128; 27] = [
    0xffff_f79c_8499_329c_7cbb_2510_d893_283b,
    0xffff_ef39_0978_c398_134b_4ff3_764f_e410,
    0xffff_de72_140b_00a3_54bd_3dc8_28e9_76c9,
    0xffff_bce4_2c7b_e6c9_98ad_6318_193c_0b18,
    0xffff_79c8_6a8f_6150_a32d_9778_ecee_f97c,
    0xfffe_f391_1b7c_ff24_ba1b_3dbb_5f8f_5974,
    0xfffd_e723_5072_5cc4_ea8f_eece_3b5f_13c8,
    0xfffb_ce4b_06c1_96e9_247a_c876_95d5_3c60,
    0xfff7_9ca7_a4d1_bf1e_e855_6cea_23cd_baa5,
    0xffef_3995_a5b6_a626_7530_f207_142a_5764,
    0xffde_7444_b281_4550_8125_d100_77ba_83b8,
    0xffbc_ecee_b791_747f_10df_216f_2e53_ec57,
    0xff79_eb70_6b9a_64c6_431d_76e6_3531_e929,
    0xfef4_1d1a_5f2a_e3a2_0676_bec6_f7f9_459a,
    0xfde9_5287_d26d_81be_a159_c370_7312_2c73,
    0xfbd7_01c7_cbc4_c8a6_bb81_efd2_32d1_e4e7,
    0xf7bf_5211_c72f_5185_f372_aeb1_d48f_937e,
    0xefc2_bf59_df33_ecc2_8125_cf78_ec4f_167f,
    0xe08d_3570_6200_7962_73f0_b3a9_81d9_0cfd,
    0xc4f7_6b68_9474_82dc_198a_48a5_4348_c4ed,
    0x978b_cb98_9431_7807_e5fa_4498_eee7_c0fa,
    0x59b6_3684_b86e_9f48_6ec5_4727_371b_a6ca,
    0x1f70_3399_d88f_6aa8_3a28_b22d_4a1f_56e3,
    0x03dc_5dac_7376_e20f_c867_9758_d1bc_dcfc,
    0x000e_e7e3_2d61_fdb0_a5e6_22b8_20f6_81d0,
    0x0000_00de_2ee4_bc38_1afa_7089_aa84_bb66,
    0x0000_0000_0000_c0d5_5d4d_7152_c25f_b139,
];
