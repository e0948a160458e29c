export const REFERENCE = `
.reference { display: grid; gap: 2rem 3rem; margin-top: 2rem; }
.reference > * { min-width: 0; }
.reference section { max-width: 52rem; margin-bottom: 3rem; } .reference :is([id], h2) { scroll-margin-top: 5rem; }
.reference h3 { font: 600 1.25rem/1.3 var(--serif); text-transform: capitalize; margin: 1.75rem 0 0.75rem; }
.reference h4 { font-size: 1rem; margin: 1.25rem 0 0.5rem; } .reference h5 { font-size: 0.9375rem; font-weight: 500; margin: 0 0 0.25rem; }
.reference p { margin-bottom: 0.75rem; }
.guide h2 { font-size: 1.25rem; margin: 1.75rem 0 0.5rem; } .guide .scroll { margin-bottom: 0.75rem; }
.guide code { background: var(--sunk); border-radius: 4px; padding: 0.1rem 0.3rem; }
.guide td:not(:last-child) code { white-space: nowrap; } .guide td:last-child { min-width: 12rem; }
.contents { font-size: 0.9375rem; }
.contents li li { margin-left: 1rem; } .contents li li li { font-size: 0.875rem; overflow-wrap: anywhere; } .contents li li > a { text-transform: capitalize; } .contents li li li > a { text-transform: none; }
.contents a { display: inline-block; padding-block: 0.2rem; text-decoration: none; } .contents a:hover { text-decoration: underline; }
@media (max-width: 61.99rem) { .contents li li li { display: none; } }
@media (min-width: 62rem) {
  .reference { grid-template-columns: 17rem minmax(0, 1fr); }
  .contents { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow-y: auto; scrollbar-width: thin; scrollbar-color: var(--edge) transparent; align-self: start; }
}
.call { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; margin-bottom: 0.75rem; }
.call > summary { padding: 0.65rem 1rem; color: var(--ink); overflow-wrap: anywhere; } .call[open] > summary { margin: 0; border-bottom: 1px solid var(--line); }
.call > summary code { font-weight: 600; } .call .what { color: var(--soft); font-weight: 400; margin-left: 0.5rem; }
.method { display: inline-block; min-width: 4rem; text-align: center; background: var(--accent); color: var(--accent-ink); font: 500 0.8125rem/1 var(--mono); border-radius: 5px; padding: 0.4rem 0.5rem; margin-right: 0.5rem; }
.told { padding: 1rem; font-size: 0.9375rem; } .told > :first-child { margin-top: 0; } .told > :last-child { margin-bottom: 0; }
.told pre { max-height: 26rem; margin-bottom: 0.75rem; }
.told .answer, .media + .media { border-top: 1px solid var(--line); padding-top: 0.75rem; margin-top: 0.75rem; }
.kind { color: var(--soft); font-weight: 400; overflow-wrap: anywhere; } .kind strong { color: var(--ink); font-weight: 500; }
.members { border-left: 2px solid var(--line); padding-left: 0.9rem; margin-bottom: 0.75rem; }
.members > div { margin-bottom: 0.5rem; } .members dt > code { font-weight: 600; } .members dd > p { margin: 0; } .members dd > .members { margin: 0.4rem 0 0; }
@media print { .contents { display: none; } }
`;
