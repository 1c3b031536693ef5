//! What was measured.

/// An order, searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Whether what is bought was named.
    pub exact_out: bool,
    /// What the order is worth by the market's reference prices.
    pub worth: f64,
    /// Seconds.
    pub time: f64,
    /// The route's own bound: how much better another could be at most.
    /// Infinite if no route was found.
    pub gap: f64,
}

/// A market, searched many times.
#[derive(Debug, Clone)]
pub struct Measured {
    /// How many pools it has.
    pub pools: usize,
    /// Its orders.
    pub samples: Vec<Sample>,
    /// Seconds until its graph was made,
    pub building: f64,
    /// and until one was made again after a thousand pools changed.
    pub refreshing: f64,
    /// Bytes of the graph for each pool.
    pub bytes: f64,
    /// The time of a purchase, in times of the sale that buys as much.
    pub purchase: f64,
}
