import { render } from "preact";
import { App } from "./app";
import { listen } from "./lib/live";
import { follow } from "./lib/router";
import { isPage } from "./routes";
import "./lib/theme";
import "./style/base.css";
import "./style/frame.css";
import "./style/parts.css";
import "./style/controls.css";
import "./style/table.css";
import "./style/tokens.css";

follow(isPage);
const place = document.getElementById("app")!;
place.replaceChildren();
render(<App />, place);
listen();
