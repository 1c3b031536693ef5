//! Figures as they are kept: pages of series, and what is known beside them.
//!
//! What each block does to figures is kept with the block. Pages are kept only
//! now and then: figures are the pages of some block and what the blocks after
//! it did.

/// Consecutive buckets of one series in one resolution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptPage {
    /// Which series.
    pub series: u32,
    /// Which resolution, from the finest on.
    pub resolution: u8,
    /// Which page of it, in the order of time.
    pub page: u32,
    /// The buckets.
    pub bytes: Vec<u8>,
}

/// What is new or changed in the pages since they were last kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFigures {
    /// Everything that is not in pages.
    pub state: Vec<u8>,
    /// New and changed pages.
    pub pages: Vec<KeptPage>,
}

/// What pages become when blocks are taken back that they tell of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutFigures {
    /// Series from this one on are gone.
    pub series: u32,
    /// For each resolution, pages from this one on are gone.
    pub pages_from: Vec<(u8, u32)>,
    /// What stands in the place of what is gone.
    pub kept: KeptFigures,
}
