import type { Attributes } from 'graphology-types'
import { NodeProgram } from 'sigma/rendering'
import type { ProgramInfo } from 'sigma/rendering'
import type { NodeDisplayData, RenderParams } from 'sigma/types'
import { floatColor } from 'sigma/utils'

const VERTEX = `
attribute vec4 a_id;
attribute vec4 a_color;
attribute vec2 a_position;
attribute float a_size;
attribute float a_shape;
uniform float u_sizeRatio;
uniform float u_pixelRatio;
uniform mat3 u_matrix;
varying vec4 v_color;
varying float v_shape;
varying float v_soft;
const float bias = 255.0 / 254.0;

void main() {
  gl_Position = vec4((u_matrix * vec3(a_position, 1)).xy, 0, 1);
  gl_PointSize = a_size / u_sizeRatio * u_pixelRatio * 2.4;
  v_soft = 1.2 / gl_PointSize;
  v_shape = a_shape;
  #ifdef PICKING_MODE
  v_color = a_id;
  #else
  v_color = a_color;
  #endif
  v_color.a *= bias;
}
`

const FRAGMENT = `
precision mediump float;
varying vec4 v_color;
varying float v_shape;
varying float v_soft;

// How far inside a point is, by shape; the place goes from -0.5 to 0.5, y downwards.
float inside(vec2 p) {
  vec2 q = abs(p);
  if (v_shape < 0.5) return 0.42 - length(p);
  if (v_shape < 1.5) return 0.36 - max(q.x, q.y);
  if (v_shape < 2.5) return min(0.34 - p.y, 0.24 + 0.5 * p.y - 0.87 * q.x);
  if (v_shape < 3.5) return (0.49 - q.x - q.y) * 0.71;
  if (v_shape < 4.5) return 0.38 - max(q.x, 0.5 * q.x + 0.87 * q.y);
  if (v_shape < 5.5) return min(0.45 - max(q.x, q.y), 0.16 - min(q.x, q.y));
  return min(0.42 - length(p), length(p) - 0.22);
}

void main(void) {
  float deep = inside(gl_PointCoord - vec2(0.5, 0.5));
  #ifdef PICKING_MODE
  gl_FragColor = length(gl_PointCoord - vec2(0.5, 0.5)) < 0.48 ? v_color : vec4(0.0);
  #else
  gl_FragColor = v_color * smoothstep(-v_soft, v_soft, deep);
  #endif
}
`

const UNIFORMS = ['u_sizeRatio', 'u_pixelRatio', 'u_matrix'] as const

/** Draws every shape (shapes.names.ts) with one program: one call for all nodes. */
export class ShapeProgram<N extends Attributes, E extends Attributes, G extends Attributes> extends NodeProgram<
  (typeof UNIFORMS)[number],
  N,
  E,
  G
> {
  getDefinition() {
    const { UNSIGNED_BYTE, FLOAT, POINTS } = WebGLRenderingContext
    return {
      VERTICES: 1,
      VERTEX_SHADER_SOURCE: VERTEX,
      FRAGMENT_SHADER_SOURCE: FRAGMENT,
      METHOD: POINTS,
      UNIFORMS,
      ATTRIBUTES: [
        { name: 'a_position', size: 2, type: FLOAT },
        { name: 'a_size', size: 1, type: FLOAT },
        { name: 'a_color', size: 4, type: UNSIGNED_BYTE, normalized: true },
        { name: 'a_id', size: 4, type: UNSIGNED_BYTE, normalized: true },
        { name: 'a_shape', size: 1, type: FLOAT },
      ],
    }
  }

  processVisibleItem(index: number, start: number, data: NodeDisplayData & { shape?: number }): void {
    this.array.set([data.x, data.y, data.size, floatColor(data.color), index, data.shape ?? 0], start)
  }

  setUniforms({ sizeRatio, pixelRatio, matrix }: RenderParams, { gl, uniformLocations }: ProgramInfo): void {
    gl.uniform1f(uniformLocations.u_sizeRatio!, sizeRatio)
    gl.uniform1f(uniformLocations.u_pixelRatio!, pixelRatio)
    gl.uniformMatrix3fv(uniformLocations.u_matrix!, false, matrix)
  }
}
