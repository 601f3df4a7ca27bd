import { svelte } from '@sveltejs/vite-plugin-svelte'
import { svelteTesting } from '@testing-library/svelte/vite'
import { defineConfig } from 'vitest/config'

// While developing, the page comes from Vite and the API from a running `holdfast serve`.
const server = process.env.HOLDFAST_URL ?? 'http://127.0.0.1:7457'

export default defineConfig({
  plugins: [svelte(), svelteTesting()],
  build: {
    outDir: '../src/holdfast/server/page',
    emptyOutDir: true,
    // The server's policy allows no inline script and no inline style.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    reportCompressedSize: false,
    rolldownOptions: { checks: { pluginTimings: false } },
  },
  server: {
    proxy: {
      '/api': {
        target: server,
        changeOrigin: true,
        ws: true,
        // The server answers its own origin only.
        configure: (proxy) => {
          proxy.on('proxyReq', (request) => request.setHeader('origin', server))
          proxy.on('proxyReqWs', (request) => request.setHeader('origin', server))
        },
      },
    },
  },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.ts'],
    setupFiles: ['src/testing.ts'],
    // One page for all files: a jsdom for each costs more than the tests.
    isolate: false,
    pool: 'threads',
    maxWorkers: 1,
    testTimeout: 30_000,
  },
})
