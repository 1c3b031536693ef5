//! Futures that are waited for beside something busy.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
};

/// A future that is polled once, and then only when it asks to be: what runs in
/// the same task wakes the task far more often.
pub(crate) struct Seldom<F> {
    future: Pin<Box<F>>,
    bell: Option<Arc<Bell>>,
}

/// Wakes the task, and tells that it was this future who did.
struct Bell {
    has_rung: AtomicBool,
    task: Waker,
}

impl<F: Future> Seldom<F> {
    pub(crate) fn new(future: F) -> Self {
        Self {
            future: Box::pin(future),
            bell: None,
        }
    }
}

impl<F: Future> Future for Seldom<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let task = context.waker();
        let is_quiet =
            |bell: &Arc<Bell>| bell.task.will_wake(task) && !bell.has_rung.load(Ordering::Acquire);
        if self.bell.as_ref().is_some_and(is_quiet) {
            return Poll::Pending;
        }
        let bell = Arc::new(Bell {
            has_rung: AtomicBool::new(false),
            task: task.clone(),
        });
        self.bell = Some(Arc::clone(&bell));
        let waker = Waker::from(bell);
        self.future.as_mut().poll(&mut Context::from_waker(&waker))
    }
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.has_rung.store(true, Ordering::Release);
        self.task.wake_by_ref();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        future::poll_fn,
        sync::atomic::AtomicUsize,
        task::Poll::{Pending, Ready},
    };
    use tokio::sync::oneshot;

    /// A future that counts how often it is polled.
    fn counted<F: Future>(future: F, polls: &AtomicUsize) -> impl Future<Output = F::Output> {
        let mut future = Box::pin(future);
        poll_fn(move |context| {
            polls.fetch_add(1, Ordering::Relaxed);
            future.as_mut().poll(context)
        })
    }

    fn poll<F: Future>(seldom: &mut Seldom<F>, task: &Waker) -> Poll<F::Output> {
        Pin::new(seldom).poll(&mut Context::from_waker(task))
    }

    struct Task(AtomicUsize);

    impl Wake for Task {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn it_is_polled_again_only_when_it_asks_for_that() {
        let (tell, told) = oneshot::channel();
        let polls = AtomicUsize::new(0);
        let mut seldom = Seldom::new(counted(told, &polls));
        let task = Arc::new(Task(AtomicUsize::new(0)));
        let waker = Waker::from(Arc::clone(&task));
        for _ in 0..3 {
            assert_eq!(poll(&mut seldom, &waker), Pending);
        }
        assert_eq!(polls.load(Ordering::Relaxed), 1);
        tell.send(7).unwrap();
        assert_eq!(task.0.load(Ordering::Relaxed), 1);
        assert_eq!(poll(&mut seldom, &waker), Ready(Ok(7)));
    }

    #[test]
    fn another_task_that_waits_is_the_one_that_is_woken() {
        let (tell, told) = oneshot::channel();
        let mut seldom = Seldom::new(told);
        let [first, second] = [0, 0].map(|woken| Arc::new(Task(AtomicUsize::new(woken))));
        assert_eq!(poll(&mut seldom, &Waker::from(Arc::clone(&first))), Pending);
        let waker = Waker::from(Arc::clone(&second));
        assert_eq!(poll(&mut seldom, &waker), Pending);
        tell.send(7).unwrap();
        assert_eq!(first.0.load(Ordering::Relaxed), 0);
        assert_eq!(second.0.load(Ordering::Relaxed), 1);
        assert_eq!(poll(&mut seldom, &waker), Ready(Ok(7)));
    }
}
