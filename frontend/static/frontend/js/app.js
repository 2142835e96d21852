// What every page loads: each module looks for its own elements and does nothing without them.
import "./theme.js";
import "./toasts.js";
import "./forms.js";
import "./dialogs.js";
import "./dice.js";
import { mountFeed } from "./feed.js";
import { mountLedger } from "./ledger.js";

mountLedger();
mountFeed();
