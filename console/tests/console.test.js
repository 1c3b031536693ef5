// The console in a real browser, on the real program with its simulated networks. The
// parts share one process and one browser, so that they are one file to the runner.
import "./parts/looks.js";
import "./parts/trading.js";
import "./parts/leasing.js";
import "./parts/living.js";
import "./parts/reference.js";
