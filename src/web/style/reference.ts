/** The reference UI in the house's own type and colours. Its stylesheet is a layer below, so whatever stands here wins. */
export const REFERENCE = `
#reference { margin-top: 2rem; }
.swagger-ui { font-family: var(--sans); color: var(--ink); font-size: 0.9375rem; }
.swagger-ui * { color: inherit; font-family: inherit; border-color: var(--line); box-shadow: none; text-shadow: none; opacity: 1; }
.swagger-ui :is(button, select, input, table, th, td, figure) { all: revert-layer; color: inherit; font-family: inherit; border-color: var(--line); }
.swagger-ui :is(code, pre, .opblock-summary-path, .json-schema-2020-12__title, .parameter__type, .prop-type) { font-family: var(--mono); }
.swagger-ui .guide { max-width: 47rem; margin: 0 -0.5rem 2.5rem; padding-inline: 0.5rem; overflow-x: auto; }
.swagger-ui .guide h2 { font: 600 1.25rem/1.3 var(--serif); margin: 1.75rem 0 0.5rem; }
.swagger-ui .guide p { margin: 0 0 0.75rem; line-height: 1.55; }
.swagger-ui .guide code { background: var(--sunk); color: var(--ink); border-radius: 4px; padding: 0.1rem 0.3rem; font-size: 0.875em; font-weight: 400; overflow-wrap: anywhere; }
.swagger-ui .guide table { border-collapse: collapse; margin: 0 0 0.75rem; }
.swagger-ui .wrapper { padding: 0; max-width: none; }
.swagger-ui .opblock-tag { text-transform: capitalize; font: 600 1.5rem/1.2 var(--serif); border: 0; padding: 0.5rem 0; margin: 1.5rem 0 0.75rem; }
.swagger-ui .opblock { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; margin: 0 0 0.75rem; overflow: hidden; }
.swagger-ui .opblock .opblock-summary { border: 0; padding: 0.5rem 0.75rem; background: none; }
.swagger-ui .opblock-summary-control { display: flex; flex-direction: row; align-items: center; text-align: left; flex-wrap: wrap; gap: 0.25rem 0.75rem; min-height: 2rem; }
.swagger-ui .opblock-summary-path { font-size: 0.9375rem; font-weight: 600; max-width: none; overflow-wrap: anywhere; }
.swagger-ui .opblock-summary-path-description-wrapper { flex: 1 1 min(20rem, 100%); flex-direction: row; flex-wrap: wrap; gap: 0 0.75rem; padding: 0; }
.swagger-ui .opblock-summary-description { flex: 1 1 min(12rem, 100%); color: var(--soft); font-size: 0.9375rem; padding: 0; }
.swagger-ui .opblock .opblock-summary-method { background: var(--accent); color: var(--accent-ink); font: 500 0.8125rem/1 var(--mono); border-radius: 5px; min-width: 4rem; padding: 0.4rem 0.5rem; }
.swagger-ui .opblock .opblock-section-header { background: var(--sunk); min-height: 0; padding: 0.5rem 0.75rem; }
.swagger-ui .opblock .opblock-section-header :is(h4, .tab-header) { font: 500 0.9375rem/1.4 var(--sans); }
.swagger-ui :is(.opblock-description-wrapper, .opblock-body > * > .opblock-description) p { font-size: 0.9375rem; }
.swagger-ui .opblock-body pre, .swagger-ui pre { background: var(--sunk); color: var(--ink); border: 1px solid var(--line); border-radius: 8px; padding: 0.75rem 1rem; max-height: 26rem; overflow: auto; font-size: 0.8125rem; white-space: pre; }
.swagger-ui :is(.responses-inner, .table-container, .opblock-description-wrapper) { padding: 0.75rem; margin: 0; }
.swagger-ui :is(.responses-table, .parameters, .headers) { width: 100%; } .swagger-ui .responses-table { table-layout: fixed; }
.swagger-ui :is(td, th) { padding: 0.4rem 0.75rem 0.4rem 0; text-align: left; vertical-align: top; font-size: 0.875rem; }
.swagger-ui thead :is(td, th) { border-bottom: 1px solid var(--line); color: var(--soft); font-weight: 500; }
.swagger-ui td.header-col { font-weight: 400; } .swagger-ui td.header-col:first-child { font-family: var(--mono); font-size: 0.8125rem; }
.swagger-ui td.header-col p { margin: 0; }
.swagger-ui .response-col_status { font: 600 0.875rem/1.6 var(--mono); min-width: 3.5rem; width: 4rem; }
.swagger-ui :is(.response-col_links, .copy-to-clipboard) { display: none !important; }
.swagger-ui select { background: var(--paper); color: var(--ink); border: 1px solid var(--edge); border-radius: 7px; min-height: 2.25rem; padding: 0.2rem 2rem 0.2rem 0.6rem; max-width: 100%; font-size: 0.875rem; font-weight: 400; background-image: none; -webkit-appearance: auto; appearance: auto; }
.swagger-ui .response-control-media-type__accept-message { color: var(--good); font-size: 0.8125rem; }
.swagger-ui .required::after, .swagger-ui .parameter__name.required::after, .swagger-ui .parameter__name.required span { color: var(--bad); font-size: 0.8125rem; }
.swagger-ui .tab-header .tab-item.active h4 span::after { display: none; }
.swagger-ui .tab { gap: 0.5rem; } .swagger-ui .tab li { font-size: 0.875rem; } .swagger-ui .tab li button.tablinks { color: var(--accent); padding: 0.25rem 0; }
.swagger-ui .tab li.active button { text-decoration: underline; text-underline-offset: 0.3em; }
.swagger-ui svg.arrow { fill: var(--soft); } .swagger-ui :is(.expand-operation, .opblock-control-arrow) { padding: 0.25rem; }
.swagger-ui .json-schema-2020-12 { background: var(--sunk); border-radius: 8px; margin: 0; padding: 0.75rem; } .swagger-ui .json-schema-2020-12 * { font-size: 0.8125rem; }
.swagger-ui :is(.json-schema-2020-12-accordion, .json-schema-2020-12-expand-deep-button) { background: none; color: var(--accent); }
.swagger-ui .json-schema-2020-12-accordion__icon svg { fill: var(--soft); }
@media (max-width: 48rem) {
  .swagger-ui :is(.responses-table, .responses-table > tbody, .responses-table > tbody > tr, .responses-table > tbody > tr > td) { display: block; width: 100%; }
  .swagger-ui .responses-table > thead { display: none; }
  .swagger-ui :is(.headers, .headers > tbody, .headers > tbody > tr, td.header-col) { display: block; }
  .swagger-ui .headers > thead { display: none; }
  .swagger-ui td.header-col { padding: 0; } .swagger-ui td.header-col:last-child { color: var(--soft); padding-bottom: 0.6rem; }
}
`;
