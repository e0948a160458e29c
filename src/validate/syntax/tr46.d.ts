declare module 'tr46' {
  type Checks = {
    readonly checkHyphens?: boolean;
    readonly checkBidi?: boolean;
    readonly checkJoiners?: boolean;
    readonly useSTD3ASCIIRules?: boolean;
    readonly transitionalProcessing?: boolean;
  };
  export function toASCII(domain: string, checks?: Checks & { readonly verifyDNSLength?: boolean }): string | null;
  export function toUnicode(domain: string, checks?: Checks): { readonly domain: string; readonly error: boolean };
}
