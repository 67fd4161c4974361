export { createDockerEngine, type DockerEngineOptions } from './engine.js';
