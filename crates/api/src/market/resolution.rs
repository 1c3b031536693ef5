//! The names of resolutions.

use crate::http::error::{Problems, shown};
use market::series::Resolution;
use utoipa::ToSchema;

/// From the finest to the coarsest.
const NAMED: [(&str, Resolution); 9] = [
    ("1", Resolution::Minute),
    ("5", Resolution::FiveMinutes),
    ("15", Resolution::QuarterHour),
    ("1H", Resolution::Hour),
    ("4H", Resolution::FourHours),
    ("1D", Resolution::Day),
    ("1W", Resolution::Week),
    ("1M", Resolution::Month),
    ("1Y", Resolution::Year),
];

pub(super) const DEFAULT: Resolution = Resolution::Hour;

/// `1`, `5` and `15` are minutes, `1H` and `4H` hours, `1D` a day, `1W` a week
/// from Monday on, `1M` and `1Y` a month and a year of the calendar; all in UTC.
#[derive(ToSchema)]
#[schema(as = Resolution)]
#[expect(
    dead_code,
    reason = "only describes the names; market::series::Resolution is the value"
)]
pub(super) enum ResolutionName {
    #[schema(rename = "1")]
    Minute,
    #[schema(rename = "5")]
    FiveMinutes,
    #[schema(rename = "15")]
    QuarterHour,
    #[schema(rename = "1H")]
    Hour,
    #[schema(rename = "4H")]
    FourHours,
    #[schema(rename = "1D")]
    Day,
    #[schema(rename = "1W")]
    Week,
    #[schema(rename = "1M")]
    Month,
    #[schema(rename = "1Y")]
    Year,
}

pub(super) fn read(text: &str, problems: &mut Problems) -> Option<Resolution> {
    let found = NAMED.iter().find(|(name, _)| *name == text);
    if found.is_none() {
        problems.add(format!(
            "resolution must be one of {}, not {}",
            NAMED.map(|(name, _)| name).join(", "),
            shown(text)
        ));
    }
    found.map(|(_, resolution)| *resolution)
}

/// What a resolution is called.
pub(super) fn name(resolution: Resolution) -> &'static str {
    let found = NAMED.iter().find(|(_, it)| *it == resolution);
    found.map_or("", |(name, _)| name)
}

/// The name of the finest resolution of which `fits` holds, from `finest` on.
pub(super) fn finest_that(
    finest: Resolution,
    fits: impl Fn(Resolution) -> bool,
) -> Option<&'static str> {
    NAMED
        .into_iter()
        .filter(|(_, resolution)| *resolution >= finest)
        .find(|(_, resolution)| fits(*resolution))
        .map(|(name, _)| name)
}
