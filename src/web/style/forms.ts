export const FORMS = `
.field { margin-bottom: 1.1rem; min-width: 0; }
.field label, .field .label { display: block; font-size: 0.9375rem; font-weight: 500; margin-bottom: 0.3rem; }
.field .hint { margin-top: 0.3rem; }
input, select { font: inherit; color: inherit; }
input:not([type=radio], [type=hidden]), select { width: 100%; min-width: 0; min-height: 2.75rem; padding: 0.45rem 0.7rem; background: var(--paper); border: 1px solid var(--edge); border-radius: 7px; }
input::placeholder { color: var(--soft); opacity: 1; }
input.code { font-family: var(--mono); }
button, .button { display: inline-block; font: 500 1rem/1.2 var(--sans); min-height: 2.75rem; max-width: 100%; overflow-wrap: anywhere; padding: 0.5rem 1.1rem; border: 1px solid var(--accent); border-radius: 7px; background: var(--accent); color: var(--accent-ink); text-decoration: none; cursor: pointer; }
a.button { display: inline-flex; align-items: center; }
button:hover, .button:hover { box-shadow: inset 0 0 0 99px #ffffff14; text-decoration: underline; }
button.quiet, .button.quiet { background: transparent; color: var(--accent); border-color: var(--edge); }
button.quiet { min-height: 2rem; padding: 0.2rem 0.7rem; font-size: 0.875rem; }
button.danger { background: var(--bad); border-color: var(--bad); color: var(--paper); }
button:is([aria-disabled=true], :disabled) { opacity: 0.6; cursor: progress; }
fieldset { border: 0; padding: 0; margin: 0 0 1rem; min-width: 0; }
legend { padding: 0; font-size: 0.9375rem; font-weight: 500; margin-bottom: 0.4rem; }
.choice label { display: inline-flex; align-items: center; gap: 0.45rem; min-height: 2rem; margin-right: 1.25rem; }
input[type=radio] { width: 1.1rem; height: 1.1rem; accent-color: var(--accent); margin: 0; }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(11rem, 100%), 1fr)); gap: 0 1rem; }
.field.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 0.4rem 0.5rem; align-content: start; } .field.pair .label { grid-column: 1 / -1; }
.field.pair.dates { grid-template-columns: auto minmax(0, 1fr); align-items: center; } .field.pair.dates label { margin: 0; font-weight: 400; color: var(--soft); }
.field.short { max-width: 7rem; }
.inline { display: flex; flex-wrap: wrap; align-items: flex-end; gap: 0.75rem 1rem; }
.inline .field { flex: 1 1 16rem; max-width: 28rem; margin: 0; }
summary { cursor: pointer; min-height: 2rem; padding-block: 0.25rem; color: var(--accent); font-size: 0.9375rem; font-weight: 500; }
summary:hover { text-decoration: underline; }
details[open] > summary { margin-bottom: 0.75rem; }
`;
