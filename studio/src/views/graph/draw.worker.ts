import { drawAll } from './drawing'
import type { Asked, Scene } from './scene'

/** Draws the graph in a thread of its own and gives the picture back: however many nodes there are, the page stays free. */
let scene: Scene | undefined
let canvas: OffscreenCanvas | undefined

onmessage = ({ data }: MessageEvent<Asked>) => {
  scene = { ...(scene as Scene), ...data }
  const { size, margin, ratio } = data
  const [wide, high] = [Math.round((size.wide + 2 * margin.wide) * ratio), Math.round((size.high + 2 * margin.high) * ratio)]
  if (canvas?.width !== wide || canvas.height !== high) canvas = new OffscreenCanvas(Math.max(1, wide), Math.max(1, high))
  const pen = canvas.getContext('2d')
  if (!pen) throw new Error('no 2D canvas')
  drawAll(pen, scene, data)
  const bitmap = canvas.transferToImageBitmap()
  postMessage({ bitmap }, { transfer: [bitmap] })
}
