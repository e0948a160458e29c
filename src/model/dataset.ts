export const DATASETS = ['contacts', 'companies'] as const;
export type Dataset = (typeof DATASETS)[number];
