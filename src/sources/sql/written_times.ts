/** A text that is a day, or a time in UTC, as rows show it. How many days a month has is not asked. */
export const WRITTEN_TIME = '[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])(?:T(?:[01][0-9]|2[0-3])(?::[0-5][0-9]){2}(?:[.][0-9]{1,3})?Z)?';
