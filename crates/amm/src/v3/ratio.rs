//! From ticks to ratios and back.

use crate::concentrated::{power, tick_below};
use primitives::U256;

/// The lowest tick.
pub const MIN_TICK: i32 = -MAX_TICK;
/// The highest tick.
pub const MAX_TICK: i32 = 887_272;
/// The ratio at the lowest tick.
pub const MIN_SQRT_RATIO: U256 = U256::from_limbs([4_295_128_739, 0, 0, 0]);
/// The ratio at the highest tick. No pool is ever there.
pub const MAX_SQRT_RATIO: U256 =
    U256::from_limbs([0x5d95_1d52_6398_8d26, 0xefd1_fc6a_5064_8849, 0xfffd_8963, 0]);

/// The bits by which the powers are finer than the ratios.
const FINER: usize = 32;

/// The ratio at a tick, `1.0001^(tick/2)` with 96 bits after the point, rounded
/// up; `None` outside the bounds.
pub fn sqrt_ratio_at(tick: i32) -> Option<U256> {
    if !(MIN_TICK..=MAX_TICK).contains(&tick) {
        return None;
    }
    let fine = power(&FACTORS, tick)?;
    let ratio = fine >> FINER;
    let exact = ratio << FINER == fine;
    Some(if exact { ratio } else { ratio + U256::ONE })
}

/// The greatest tick whose ratio is not above this one; `None` outside the
/// bounds, the highest ratio included.
pub fn tick_at(sqrt_ratio: U256) -> Option<i32> {
    if !(MIN_SQRT_RATIO..MAX_SQRT_RATIO).contains(&sqrt_ratio) {
        return None;
    }
    let root = f64::from(sqrt_ratio) / 96.0_f64.exp2();
    tick_below(sqrt_ratio, root.ln() / HALF_LOG_BASE, sqrt_ratio_at)
}

/// The logarithm of the root of 1.0001.
pub(super) const HALF_LOG_BASE: f64 = 4.999_750_016_665_417e-5;

/// The root of 1.0001 to the powers of -1, -2, -4 and so on, in units of
/// 2^-128, each rounded to the nearest.
const FACTORS: [u128; 20] = [
    0xfffc_b933_bd6f_ad37_aa2d_162d_1a59_4001,
    0xfff9_7272_373d_4132_59a4_6990_580e_213a,
    0xfff2_e50f_5f65_6932_ef12_357c_f3c7_fdcc,
    0xffe5_caca_7e10_e4e6_1c36_24ea_a094_1cd0,
    0xffcb_9843_d60f_6159_c9db_5883_5c92_6644,
    0xff97_3b41_fa98_c081_472e_6896_dfb2_54c0,
    0xff2e_a164_66c9_6a38_43ec_78b3_26b5_2861,
    0xfe5d_ee04_6a99_a2a8_11c4_61f1_969c_3053,
    0xfcbe_86c7_900a_88ae_dcff_c83b_479a_a3a4,
    0xf987_a725_3ac4_1317_6f2b_074c_f781_5e54,
    0xf339_2b08_22b7_0005_940c_7a39_8e4b_70f3,
    0xe715_9475_a2c2_9b74_43b2_9c7f_a6e8_89d9,
    0xd097_f3bd_fd20_22b8_845a_d8f7_92aa_5825,
    0xa9f7_4646_2d87_0fdf_8a65_dc1f_90e0_61e5,
    0x70d8_69a1_56d2_a1b8_90bb_3df6_2baf_32f7,
    0x31be_135f_97d0_8fd9_8123_1505_542f_cfa6,
    0x09aa_508b_5b7a_84e1_c677_de54_f3e9_9bc9,
    0x005d_6af8_dedb_8119_6699_c329_225e_e604,
    0x0000_2216_e584_f5fa_1ea9_2604_1bed_fe98,
    0x0000_0000_048a_1703_91f7_dc42_444e_8fa2,
];
