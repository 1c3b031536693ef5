//! Figures about requests.

use axum::http::{Method, StatusCode};
use metrics::{Counter, Histogram};
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

/// Requests answered, by method, route and status.
pub const REQUESTS_TOTAL: &str = "stoa_http_requests_total";

/// How long answers took, by route.
pub const REQUEST_SECONDS: &str = "stoa_http_request_seconds";

/// Bounds that show both an answer from memory and one that waited.
pub const REQUEST_SECONDS_BUCKETS: [f64; 12] = [
    0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0,
];

/// A name of bounded variety: callers may invent methods.
pub(crate) fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "OTHER",
    }
}

/// Series that are remembered; there are fewer of them than that.
const MAX_SERIES: usize = 4_096;

/// The series of answers. Looking one up by its labels is dear, so that each
/// is kept once it is known.
#[derive(Default)]
pub(crate) struct Answers(RwLock<RouteSeries>);

/// Series by routes, and within those by methods and statuses, of which each
/// route has few.
#[derive(Default)]
struct RouteSeries {
    routes: HashMap<Box<str>, Vec<(Labels, Series)>>,
    series: usize,
}

/// Method and status.
type Labels = (&'static str, StatusCode);

#[derive(Clone)]
struct Series {
    answers: Counter,
    seconds: Histogram,
}

impl Answers {
    /// Counts an answer. `route` is the path's template, so that there are no
    /// more series than routes.
    pub(crate) fn record(
        &self,
        route: &str,
        method: &'static str,
        status: StatusCode,
        took: Duration,
    ) {
        let labels = (method, status);
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut of_route = known.routes.get(route).into_iter().flatten();
        if let Some((_, series)) = of_route.find(|(it, _)| *it == labels) {
            return series.record(took);
        }
        drop(known);
        let series = Series::new(route, labels);
        series.record(took);
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if known.series < MAX_SERIES {
            known.series += 1;
            let of_route = known.routes.entry(route.into()).or_default();
            of_route.push((labels, series));
        }
    }
}

impl fmt::Debug for Answers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answers").finish_non_exhaustive()
    }
}

impl Series {
    fn new(route: &str, (method, status): Labels) -> Self {
        let route: Arc<str> = route.into();
        Self {
            answers: metrics::counter!(
                REQUESTS_TOTAL,
                "method" => method,
                "route" => Arc::clone(&route),
                "status" => status.as_str().to_owned(),
            ),
            seconds: metrics::histogram!(REQUEST_SECONDS, "route" => route),
        }
    }

    fn record(&self, took: Duration) {
        self.answers.increment(1);
        self.seconds.record(took);
    }
}
