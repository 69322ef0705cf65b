import { render } from 'preact';
import { Console } from './console.tsx';
import '@picocss/pico/css/pico.min.css';
import 'uplot/dist/uPlot.min.css';
import './console.css';

const place = document.getElementById('console');
if (place !== null) render(<Console />, place);
