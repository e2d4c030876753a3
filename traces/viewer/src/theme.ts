// Colours that people with any kind of colour vision can distinguish (Okabe and Ito), on light and
// dark. Lanes are labelled with their pipe, and waiting is a thin bar: colour is never the only
// sign.

export interface Theme {
  text: string;
  dim: string;
  grid: string;
  background: string;
  panel: string;
  wait: string;
  never: string; // waits that nothing released
  sync: string;
  scalar: string;
  selected: string;
  producer: string;
  consumer: string;
  flag: string;
  before: string; // of a page of two runs: behind the lanes of the one before
  pipes: Record<string, string>;
}

const pipes = {
  MTE2: '#009E73',
  MTE1: '#56B4E9',
  M: '#0072B2',
  V: '#E69F00',
  FIX: '#CC79A7',
  MTE3: '#D55E00',
  S: '#8a8f98',
};

export const light: Theme = {
  text: '#1c2128', dim: '#59636e', grid: '#d8dee4', background: '#ffffff', panel: '#f6f8fa',
  wait: '#8b949e', never: '#b3123f', sync: '#3d444d', scalar: '#a9b1ba', selected: '#000000',
  producer: '#0550ae', consumer: '#bc4c00', flag: '#6639ba', before: '#eef3f8', pipes,
};
export const dark: Theme = {
  text: '#e6edf3', dim: '#9aa4af', grid: '#30363d', background: '#0d1117', panel: '#161b22',
  wait: '#6e7681', never: '#ff6b81', sync: '#c9d1d9', scalar: '#848d97', selected: '#ffffff',
  producer: '#79c0ff', consumer: '#ffa657', flag: '#d2a8ff', before: '#171d26',
  pipes: { ...pipes, M: '#4a9ee0' },
};

// Black or white, whichever contrasts more with a colour: at least 4.5 to 1 for either.
export function onColor(color: string): string {
  const part = (at: number): number => {
    const value = parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
  return luminance > 0.179 ? '#000' : '#fff';
}
