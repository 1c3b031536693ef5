//! The timer of a connection.

use hyper::rt;
use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};
use tokio::time::Sleep;

/// A timer for whoever waits for one thing after another. hyper asks for a new
/// deadline with every request, and nearly none is reached: here the runtime is
/// told of one, and of the next only when that has passed.
#[derive(Debug, Clone)]
pub(crate) struct Alarm(Arc<Mutex<Pin<Box<Sleep>>>>);

/// The time until a deadline.
#[derive(Debug)]
struct Wait {
    alarm: Alarm,
    deadline: tokio::time::Instant,
}

impl Alarm {
    /// One that is first set to this.
    pub(crate) fn new(first: Duration) -> Self {
        Self(Arc::new(Mutex::new(Box::pin(tokio::time::sleep(first)))))
    }

    fn lock(&self) -> MutexGuard<'_, Pin<Box<Sleep>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl rt::Timer for Alarm {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn rt::Sleep>> {
        self.sleep_until(self.now() + duration)
    }

    fn sleep_until(&self, deadline: Instant) -> Pin<Box<dyn rt::Sleep>> {
        Box::pin(Wait {
            alarm: self.clone(),
            deadline: deadline.into(),
        })
    }

    fn now(&self) -> Instant {
        tokio::time::Instant::now().into()
    }
}

impl Future for Wait {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut sleep = self.alarm.lock();
        if sleep.deadline() > self.deadline {
            sleep.as_mut().reset(self.deadline);
        }
        loop {
            ready!(sleep.as_mut().poll(context));
            if sleep.deadline() >= self.deadline {
                return Poll::Ready(());
            }
            sleep.as_mut().reset(self.deadline);
        }
    }
}

impl rt::Sleep for Wait {}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;
    use hyper::rt::Timer;

    const HOUR: Duration = Duration::from_hours(1);

    #[tokio::test]
    async fn each_wait_ends_at_its_own_deadline() {
        let alarm = Alarm::new(HOUR);
        for _ in 0..3 {
            let now = alarm.now();
            assert!(alarm.sleep_until(now + 2 * HOUR).now_or_never().is_none());
            assert!(alarm.sleep(HOUR).now_or_never().is_none());
            // Earlier than what the runtime was told of.
            alarm.sleep_until(now).await;
            assert!(alarm.now() >= now);
        }
    }
}
