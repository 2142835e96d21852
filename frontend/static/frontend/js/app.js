// What every page loads: each module looks for its own elements and does nothing without them. Those imported by name
// stand first: the rewriting of file names when static files are collected needs that order.
import { mountFeed } from "./feed.js";
import { mountLedger } from "./ledger.js";
import "./theme.js";
import "./toasts.js";
import "./forms.js";
import "./dialogs.js";
import "./dice.js";
import "./seeds.js";
import "./live.js";
import "./making.js";
import "./placing.js";
import "./board.js";
import "./asked.js";
import "./times.js";

mountLedger();
mountFeed();
