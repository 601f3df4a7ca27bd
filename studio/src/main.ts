import { mount } from 'svelte'

import './app.css'
import App from './App.svelte'

const place = document.getElementById('studio')
if (!place) throw new Error('index.html has no #studio')
mount(App, { target: place })
