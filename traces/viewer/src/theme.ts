// Colours that people with any kind of colour vision tell apart (Okabe and Ito), on light and dark.
// A lane says its pipe in words, and waiting is a thin bar: colour is never the only sign.

export interface Theme {
  text: string;
  dim: string;
  grid: string;
  background: string;
  wait: string;
  never: string; // waits that nothing released
  sync: string;
  scalar: string;
  selected: string;
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
  text: '#1c2128', dim: '#59636e', grid: '#d8dee4', background: '#ffffff',
  wait: '#b9c0c8', never: '#b3123f', sync: '#3d444d', scalar: '#a9b1ba', selected: '#000000', pipes,
};
export const dark: Theme = {
  text: '#e6edf3', dim: '#9aa4af', grid: '#30363d', background: '#0d1117',
  wait: '#4b535d', never: '#ff6b81', sync: '#c9d1d9', scalar: '#6e7681', selected: '#ffffff',
  pipes: { ...pipes, M: '#4a9ee0' },
};
